// What a person does on the approval page.

/** Returns the fields of the page's form, with the first choice of each request that has this name. */
export function fillIn(html: string, choice: string, more: Record<string, string> = {}) {
	const fields: Record<string, string> = { ...more };
	for (const [, name, value] of html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g))
		fields[name] = value;
	const choices =
		/<input[^>]*type="radio"[^>]*name="(\w+)"[^>]*value="(\d+)"[^>]*>([\s\S]*?)<\/label>/g;
	for (const [, name, value, label] of html.matchAll(choices))
		if (label.includes(choice)) fields[name] ??= value;
	return fields;
}
