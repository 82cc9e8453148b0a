// The texts that people read: documents, sticky notes, panels, the approval page and errors.
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse } from 'yaml';
import { exampleWorkflow, examples } from '../../tools/examples.mts';
import { thrownErrors, wording } from './errors.mts';
import { readBlocks } from './prose.mts';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Blocks of prose, by where they are */
type Texts = Map<string, string[]>;

/** Pages for contributors */
const FOR_CONTRIBUTORS = ['docs/dialects.md', 'docs/benchmarks.md'];

/** The table on this page is measured with the errors in the code. */
const ERROR_PAGE = 'docs/errors.md';

const listFiles = (...patterns: string[]): string[] =>
	globSync(patterns, { cwd: root })
		.map((file) => file.replaceAll('\\', '/'))
		.sort();

const readText = (file: string): string => readFileSync(root + file, 'utf8');

/** A program writes the tables of results with the dialects: lists of operations, joined by semicolons. */
const withoutTables = (markdown: string): string => markdown.replaceAll(/^\|.*$/gm, '');

function readFileBlocks(file: string): string[] {
	const text = readText(file);
	if (file.endsWith('.yml')) return textsInYaml(parse(text));
	return readBlocks(file === 'docs/dialects.md' ? withoutTables(text) : text);
}

/** Returns all texts in a value of YAML. */
const textsInYaml = (value: unknown): string[] =>
	typeof value === 'string'
		? [value]
		: typeof value === 'object' && value !== null
			? Object.values(value).flatMap(textsInYaml)
			: [];

const readFiles = (files: string[]): Texts =>
	new Map(files.map((file) => [file, readFileBlocks(file)]));

/** Returns the README, the pages in docs/ and the examples' page and sticky notes. */
export function userDocuments(): Texts {
	const pages = listFiles('README.md', 'docs/*.md', 'examples/README.md');
	return new Map([
		...readFiles(pages.filter((file) => file !== ERROR_PAGE && !FOR_CONTRIBUTORS.includes(file))),
		...examples().map((name): [string, string[]] => [
			`examples/${name}.json`,
			exampleWorkflow(name)
				.nodes.filter(({ type }) => type.endsWith('.stickyNote'))
				.flatMap(({ parameters }) => readBlocks(parameters.content)),
		]),
	]);
}

/** Returns the pages for contributors, and the templates of issues and pull requests. */
export const contributorDocuments = (): Texts =>
	readFiles(
		listFiles(
			'CHANGELOG.md',
			'CONTRIBUTING.md',
			'SECURITY.md',
			'local-service/README.md',
			...FOR_CONTRIBUTORS,
			'.github/*.md',
			'.github/ISSUE_TEMPLATE/*.yml',
		),
	);

/** Returns the names of an example's nodes. */
export const nodeNames = (): Texts =>
	new Map(
		examples().map((name) => [
			`examples/${name}.json`,
			exampleWorkflow(name).nodes.map((node) => node.name),
		]),
	);

interface PanelText {
	/** The node, and the field or choice */
	where: string;
	kind: 'label' | 'description' | 'notice' | 'hint' | 'placeholder' | 'action';
	text: string;
}

/** Returns the texts of a panel: of its fields, choices and the choices' fields. */
function textsWithin(value: unknown, where: string): PanelText[] {
	if (Array.isArray(value)) return value.flatMap((each) => textsWithin(each, where));
	if (typeof value !== 'object' || value === null) return [];
	const field = value as Record<string, unknown>;
	const label = field.displayName ?? field.name;
	const place = typeof label === 'string' && !where.endsWith(label) ? `${where} > ${label}` : where;
	const isNotice = field.type === 'notice';
	const own = [
		[isNotice ? 'notice' : 'label', label],
		...(['description', 'hint', 'placeholder', 'action'] as const).map((key) => [key, field[key]]),
	] as Array<[PanelText['kind'], unknown]>;
	return [
		...own.flatMap(([kind, text]) =>
			typeof text === 'string' && text !== '' && !text.startsWith('=')
				? [{ where: isNotice ? where : place, kind, text }]
				: [],
		),
		...['options', 'values', 'modes'].flatMap((key) => textsWithin(field[key], place)),
	];
}

/** Returns the texts of the panels of all nodes and the credential. */
export function panelTexts(): PanelText[] {
	const nodes = ['RunAgentSession', 'WorkspaceAutomation', 'WorkspaceAutomationTrigger'].map(
		(name) => new (require(`../../nodes/${name}/${name}.node.ts`)[name])().description,
	);
	const {
		WorkspaceAutomationApi,
	} = require('../../credentials/WorkspaceAutomationApi.credentials.ts');
	return [...nodes, new WorkspaceAutomationApi()].flatMap(
		({ displayName, description, properties }) => [
			...(description
				? [{ where: displayName, kind: 'description' as const, text: description }]
				: []),
			...textsWithin(properties, displayName),
		],
	);
}

/** Returns the sentences in a source file: texts of three words and more. */
function sentencesInCode(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
			const text = wording(node)
				.replaceAll(/<[^>]*>/g, ' ')
				.trim();
			if (/^[A-Z]\S* \S+ \S+/.test(text)) found.push(text);
		} else ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true));
	return found;
}

/** Returns the texts of the approval page and the message that asks. */
const approvalTexts = (): Texts =>
	new Map(
		listFiles('nodes/RunAgentSession/{page,message}/*.ts').map((file) => [
			file,
			sentencesInCode(file),
		]),
	);

/** Returns the errors of the nodes: titles, and what to do. */
function errorTexts(): Texts {
	const texts: Texts = new Map();
	for (const { file, message, next = '' } of thrownErrors())
		texts.set(
			`nodes/${file}`,
			[...(texts.get(`nodes/${file}`) ?? []), message, next].filter(Boolean),
		);
	return texts;
}

/** Returns the panels' texts, the approval page and the errors as blocks of prose. */
export const interfaceTexts = (): Texts =>
	new Map([
		...approvalTexts(),
		...[...errorTexts()].map(([file, texts]): [string, string[]] => [`${file} (errors)`, texts]),
		...panelTexts().map(({ where, kind, text }): [string, string[]] => [
			`${where} (${kind})`,
			[text],
		]),
	]);
