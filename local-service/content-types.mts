// Guesses a file's content from its name and its content type.
import mimeTypes from 'mime-types';

/** `text/markdown` for `notes.md`; `otherwise` for a name whose ending says nothing. */
export const getContentType = (name: string, otherwise = 'application/octet-stream'): string =>
	mimeTypes.lookup(name) || otherwise;

/** Returns whether content of this type is text that people read. */
export const isText = (contentType: string): boolean =>
	/^text\/|^application\/(json|xml|yaml)\b|\+(json|xml)\b/.test(contentType);
