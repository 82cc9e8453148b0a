// One fault for each promise of the oracle, planted where the package meets n8n, so that they stay whatever changes in it. An explorer that
// finds nothing proves nothing until it has found these.
import type { IExecuteFunctions, IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import type { BuiltPackage } from '../../n8n-host/core.mts';
import { PACKAGE } from '../../n8n-host/workflows.mts';

export interface Fault {
	says: string;
	/** The kinds of violations that show it */
	kinds: string[];
	plant(built: BuiltPackage): void;
}

type Send = (credential: string, options: IHttpRequestOptions) => Promise<unknown>;

const agentOf = ({ nodes }: BuiltPackage) => nodes[`${PACKAGE}runAgentSession`];

/** Changes what a run of the node gets, and what it returns. */
function aroundRuns(
	built: BuiltPackage,
	before: (context: IExecuteFunctions) => void,
	after: (outputs: INodeExecutionData[][] | null) => INodeExecutionData[][] | null = (outputs) =>
		outputs,
): void {
	const agent = agentOf(built);
	const execute = agent.execute!;
	agent.execute = async function (this: IExecuteFunctions) {
		before(this);
		return after((await execute.call(this)) as INodeExecutionData[][] | null) as never;
	};
}

/** Changes how requests are sent. */
const aroundRequests = (built: BuiltPackage, change: (send: Send) => Send): void =>
	aroundRuns(built, (context) => {
		const { helpers } = context;
		const original = helpers.httpRequestWithAuthentication;
		helpers.httpRequestWithAuthentication = async function (credential, options) {
			const send: Send = async (...given) => await original.call(context, ...given);
			return await change(send)(credential, options);
		};
	});

const isStart = ({ method, url }: IHttpRequestOptions) =>
	method === 'POST' && url.endsWith('/agent/sessions');

export const FAULTS: Fault[] = [
	{
		says: 'A start is sent twice',
		kinds: ['a second session while the first runs'],
		plant: (built) =>
			aroundRequests(built, (send) => async (credential, options) => {
				if (isStart(options)) await send(credential, options);
				return await send(credential, options);
			}),
	},
	{
		says: 'Pauses are half an hour longer',
		kinds: ['read late', 'first read late'],
		plant: (built) =>
			aroundRuns(built, (context) => {
				const original = context.putExecutionToWait.bind(context);
				context.putExecutionToWait = async (date) => {
					date.setTime(date.getTime() + 30 * 60_000);
					await original(date);
				};
			}),
	},
	{
		says: 'The last completed item is dropped',
		kinds: ['an outcome is lost (completed)'],
		plant: (built) =>
			aroundRuns(
				built,
				() => {},
				(outputs) => outputs && [outputs[0]?.slice(0, -1) ?? [], ...outputs.slice(1)],
			),
	},
	{
		says: 'A denial is sent as an approval',
		kinds: ['approved by nobody', 'an answer is turned round', 'confirmed the other way round'],
		plant: (built) =>
			aroundRequests(built, (send) => async (credential, options) => {
				const body = options.body instanceof Buffer ? String(options.body) : undefined;
				if (!options.url.endsWith('/resolve') || body === undefined)
					return await send(credential, options);
				return await send(credential, {
					...options,
					body: Buffer.from(body.replace('reject', 'once')),
				});
			}),
	},
	{
		says: 'The page has another path than its link',
		kinds: ['a link answers 404'],
		plant: (built) => void (agentOf(built).description.webhooks![0].path = 'elsewhere'),
	},
	{
		says: 'Each reading is taken ten times',
		kinds: ['too many readings'],
		plant: (built) =>
			aroundRequests(built, (send) => async (credential, options) => {
				if (options.method === 'GET')
					for (let n = 0; n < 9; n++) await send(credential, options).catch(() => {});
				return await send(credential, options);
			}),
	},
];
