import type { Guards } from '../../shared/globs';

// Programs that can run others, and by which words. An approval has to type these words. docs/programs.md shows the table.

/**
 * `…` is any words between. Without it, the next word is an option before the subcommand, or the subcommand itself. A long option
 * also counts if it's shortened.
 */
export const RUNNING_WORDS: Record<string, readonly string[]> = {
	find: ['… -exec', '… -execdir', '… -ok', '… -okdir', '… -delete'],
	fd: ['… -x', '… -X', '… --exec', '… --exec-batch'],
	rg: ['… --pre', '… --hostname-bin'],
	tar: [
		...['… -I', '… -F', '… --to-command', '… --use-compress-program', '… --checkpoint-action'],
		...['… --info-script', '… --new-volume-script', '… --rsh-command', '… --rmt-command'],
	],
	sort: ['… --compress-program'],
	split: ['… --filter'],
	zip: ['… -TT', '… --unzip-command'],
	rsync: ['… -e', '… --rsh', '… --rsync-path'],
	wget: ['… --use-askpass', '… -e', '… --execute'],
	git: [
		...['-c', '--config-env', '--exec-path', 'config', 'difftool', 'mergetool', 'filter-branch'],
		...['send-email', 'instaweb', 'web--browse', 'for-each-repo', 'bisect … run', 'hook … run'],
		...['submodule … foreach', 'grep … -O', 'grep … --open-files-in-pager', 'rebase … -x'],
		...['clone … -c', 'clone … --config', 'clone … -u', '… --exec', '… --upload-pack'],
		...['… --receive-pack', '… --ext-diff', '… --textconv', '… --template'],
	],
	npm: [
		...['exec', 'exe', 'x', 'explore', '… --script-shell', '… --shell', '… --node-options'],
		...['… --git', '… --editor', '… --browser', '… --viewer'],
	],
	pnpm: ['dlx', 'exec'],
	yarn: ['dlx', 'exec', 'node', 'workspace … exec', 'workspace … node'],
	go: ['run', 'generate', '… -exec', '… -toolexec', '… -vettool'],
	cargo: ['run', 'r', '… --config'],
	'apt-get': ['… -o', '… --option'],
	pip: ['… --editor', '… --python'],
	test: ['… -v'],
	printf: ['… -v'],
};

/** Returns the name of a program without its folder and case: `rm` for `/bin/rm` and `RM.exe`. */
export const programName = (word: string): string =>
	word
		.slice(word.lastIndexOf('/') + 1)
		.toLowerCase()
		.replace(/\.(?:exe|com|cmd|bat)$/, '');

/** Version at the end of a program's name, as in `python3.12` */
export const VERSION = /[\d.-]{1,9}$/;
/** Variant at the end of a program's name, as in `mkfs.ext4` */
const VARIANT = /\..*$/;

/** Returns the names that a program may go by, and a word without a folder: also `mkfs` for `mkfs.ext4` and `/sbin/mkfs.ext4`. */
export function listProgramNames(word: string): string[] {
	const name = programName(word);
	const isFile = word.includes('/') && !/bin\/[^/]*$/.test(word);
	return [name, name.replace(VERSION, ''), isFile ? name : name.replace(VARIANT, '')];
}

/** Finds the entries of a program. `gfind` is `find` where the system has another one. */
function findEntries(word: string): string[] {
	const names = listProgramNames(word).flatMap((name) => [name, name.replace(/^g/, '')]);
	return [...new Set(names)].flatMap((each) =>
		Object.hasOwn(RUNNING_WORDS, each) ? RUNNING_WORDS[each] : [],
	);
}

/** Returns whether a word is the option or the subcommand of an entry, or has the option. */
function isEntry(entry: string, word: string): boolean {
	if (!entry.startsWith('-')) return word.toLowerCase() === entry;
	const [name] = word.split('=', 1);
	if (entry.startsWith('--')) return name.length > 2 && entry.startsWith(name);
	// `-exec` is also `--exec`, and a value can follow at once. Short options can be joined: `-lx`, `-xvalue`.
	return entry.length > 2
		? word.replace(/^--/, '-').startsWith(entry)
		: /^-[^-]/.test(word) && word.includes(entry[1]);
}

/** Returns the place of the subcommand. A word after an option can be its value. */
function subcommandPlace(words: readonly string[]): number {
	const at = words.findIndex(
		(word, index) => index > 0 && !word.startsWith('-') && !/^-/.test(words[index - 1]),
	);
	return at < 0 ? words.length : at;
}

/** Finds the places of the words with which a program runs others. */
function findRunningWords(words: readonly string[]): Set<number> {
	const found = new Set<number>();
	const subcommand = subcommandPlace(words);
	const isTar = /tar$/.test(programName(words[0]));
	for (const line of findEntries(words[0])) {
		const isEarly = !line.startsWith('…');
		const entry = line.split(' ').filter((word) => word !== '…');
		let next = 0;
		for (let at = 1; at < words.length; at++) {
			if (isEarly && next === 0 && at > subcommand) break;
			// `tar xIf` is `tar -xIf`.
			const isBundle = isTar && at === 1 && !words[at].startsWith('-');
			if (!isEntry(entry[next], isBundle ? `-${words[at]}` : words[at])) continue;
			if (next < entry.length - 1) next++;
			else found.add(at);
		}
	}
	return found;
}

/** Leads out of the folder, as `C:\x` and `\\server` of Windows do. A space is in quotation marks, where it counts as a letter. */
const OUTSIDE =
	/(?<![\p{L}\p{N}\p{M}._/)\]}*\s])\/|(?<![\p{L}\p{N}\p{M}\s])~|(?<![\p{L}\p{N}\p{M}.\s])\.\.(?![\p{L}\p{N}\p{M}.])|(?<![\p{L}\p{N}\p{M}])(?:[a-z]:\\|\\\\)/giu;
/** Glued to a short option: `-I/x`, `-C..`, `-I~/x`, `-IC:\x` */
const GLUED = /^-[\p{L}\p{N}]*(\/|~|\.\.(?![\p{L}\p{N}\p{M}.])|:\\|\\\\)/u;
/** Begins an address on another machine, or is no file. A letter alone is a drive, and `file://` is here. */
const ELSEWHERE =
	/(?<![a-z\d+.-])(?![a-z\d+.-]*file)[a-z][a-z\d+.-]+:\/\/(?!\/)|(?<=^|=)\/dev\/null$/gi;

/** Shells evaluate it as arithmetic, and so do their `test` and `printf`, in quotation marks of any kind. */
const EVALUATED = /\$[({]|`/;

/** Returns the places that lead out of the folder, or by which something else runs. */
function guardWord(word: string, isRunning: boolean): Guards | undefined {
	const guards = new Uint8Array(word.length).fill(isRunning || EVALUATED.test(word) ? 1 : 0);
	const text = word.replace(ELSEWHERE, (found) => 'x'.repeat(found.length));
	for (const { 0: found, index } of text.matchAll(OUTSIDE))
		guards.fill(1, index, index + found.length);
	const [glued = '', out = ''] = GLUED.exec(text) ?? [];
	guards.fill(1, glued.length - out.length, glued.length);
	return guards.includes(1) ? guards : undefined;
}

/** Returns the places of each word that no wildcard of an approval matches. */
export function guardWords(words: readonly string[]): Array<Guards | undefined> {
	const running = findRunningWords(words);
	return words.map((word, at) => guardWord(word, running.has(at)));
}
