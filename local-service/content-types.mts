// What a file is, judged by its name.

const byEnding: Record<string, string> = {
	txt: 'text/plain',
	md: 'text/markdown',
	csv: 'text/csv',
	html: 'text/html',
	css: 'text/css',
	js: 'text/javascript',
	json: 'application/json',
	xml: 'application/xml',
	yaml: 'application/yaml',
	yml: 'application/yaml',
	svg: 'image/svg+xml',
	png: 'image/png',
	jpg: 'image/jpeg',
	jpeg: 'image/jpeg',
	gif: 'image/gif',
	webp: 'image/webp',
	pdf: 'application/pdf',
	mp4: 'video/mp4',
	zip: 'application/zip',
};

/** `text/markdown` for `notes.md`; undefined endings are whatever `otherwise` says. */
export function contentTypeOf(name: string, otherwise = 'application/octet-stream'): string {
	const [, ending] = /\.([a-z0-9]+)$/i.exec(name) ?? [];
	return (ending !== undefined && byEnding[ending.toLowerCase()]) || otherwise;
}

/** Whether content of this type is text that people read. */
export const isText = (contentType: string): boolean =>
	/^text\/|^application\/(json|xml|yaml)\b|\+(json|xml)\b/.test(contentType);
