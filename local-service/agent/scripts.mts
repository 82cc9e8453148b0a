// Scripts for prompts without directives: those of the examples, by a text of the prompt. So an example's prompt says nothing of the mock
// service.

export const SCRIPTS: Array<[prompt: string, script: string]> = [
	[
		'Publish the landing page.',
		'[work 1s] [say The landing page is ready. To publish it, I push it to the main branch.] [ask bash: git push] [work 1s] [say The landing page is live.]',
	],
	[
		'Give the landing page a new headline, build the site and publish it.',
		'[work 1s] [say The new headline is ready. To publish it, I push the page to the main branch.] [ask bash: git push + edit: index.html] [work 1s] [say The landing page is live.]',
	],
	[
		'Ask me which headline I want for the landing page.',
		'[work 1s] [question Which headline? {fresh=Fresh coffee, daily=Open daily}] [change texts: Coffee => Fresh coffee] [ask edit: index.html] [ask bash: npm run publish] [say Not published.] [next turn] [ask bash: npm run publish -- --staging] [say Published to the staging site.]',
	],
	[
		'List the links that are broken, each with the path of its page.',
		'[work 2s] [say One link is broken.] [next turn] [work 2s] [say {"output": {"brokenLinks": [{"page": "/about", "url": "https://example.com/team"}, {"page": "/blog", "url": "https://example.com/feed"}]}}]',
	],
	[
		'Give the landing page a new headline, and build the site.',
		'[work 1s] [change content: => <a href="/abuot">About us</a>] [ask edit: index.html] [say The landing page has a new headline.] [next turn] [change content: => Fresh coffee] [ask edit: index.html] [say The link is repaired.]',
	],
	[
		'Move the blog to the new layout and build the site.',
		'[work 10s] [ask bash: npm run build] [work 5s] [say 48 posts moved. The build passed.]',
	],
	[
		'Write a plan for it in at most ten lines',
		'[work 1s] [say Change the headline in index.html. Then run npm run build and git push.] [next turn] [work 1s] [ask bash: npm run build] [ask bash: git push] [say The landing page is live.]',
	],
	[
		'Repair the broken links of the site, build it and publish it.',
		'[work 1s] [ask bash: git push] [work 1s] [say Three links repaired. The site is live.]',
	],
	[
		'Compress the images on the landing page',
		'[work 2s] [ask bash: npm run build] [work 2s] [say The build passed. The landing page has a new headline and two compressed images.]',
	],
];

/** Returns the script of a known prompt, as directives. */
export const findScript = (prompt: string): string | undefined =>
	SCRIPTS.find(([text]) => prompt.includes(text))?.[1];
