// A node that uses the private members of n8n that execution/engine.ts uses, each by itself.

const columnOnlyDate = (ms) =>
	Object.defineProperty(new Date(Date.now() + ms), 'toJSON', { value: () => undefined });

/** Returns what the members look like, without using them. */
function describe(context) {
	const { runExecutionData: data, additionalData } = context;
	const entry = context.getExecuteData();
	const ownContext = context.getContext('node');
	return {
		signal: typeof context.getExecutionCancelSignal?.()?.aborted,
		stack: Array.isArray(data.executionData.nodeExecutionStack),
		isOnStack: data.executionData.nodeExecutionStack.includes(entry),
		isOwnNode: entry.node.name === context.getNode().name,
		input: entry.data.main[0].map(({ json }) => json),
		isOwnContext: data.executionData.contextData[`node:${context.getNode().name}`] === ownContext,
		ran: Object.keys(data.resultData.runData),
		addHandler: typeof additionalData.hooks.addHandler,
		setExecutionStatus: typeof additionalData.setExecutionStatus,
		hasCustomData: 'customData' in context,
	};
}

const uses = {
	describe: (context) => [[{ json: describe(context) }]],

	/** Is executed again after the nodes behind it. */
	again(context, entry, isAgain) {
		const { nodeExecutionStack } = context.runExecutionData.executionData;
		const { node, data, source } = entry;
		const metadata = { ...entry.metadata, members: true };
		if (!isAgain) nodeExecutionStack.push({ node, data, source, metadata });
		const { After = [] } = context.runExecutionData.resultData.runData;
		return [[{ json: { isAgain, runsBehind: After.length } }]];
	},

	/** Is executed again, and the first time leaves no run. */
	null(context, entry, isAgain) {
		if (isAgain) return [[{ json: { runIndex: context.getWorkflowDataProxy(0).$runIndex } }]];
		entry.node = { ...entry.node, alwaysOutputData: false };
		uses.again(context, entry, false);
		return null;
	},

	/** Pauses, and is executed again with the same input. */
	async pause(context, entry, isAgain) {
		const state = context.getContext('node');
		state.runs = (state.runs ?? 0) + 1;
		const { $runIndex } = context.getWorkflowDataProxy(0);
		const json = { runs: state.runs, runIndex: $runIndex, answer: state.answer, isAgain };
		if (state.runs === 3) return [[{ json }]];
		entry.node = { ...entry.node, alwaysOutputData: false };
		entry.metadata = { ...entry.metadata, members: true };
		entry.runIndex = $runIndex;
		// The first pause ends by the webhook, the second by the time.
		await context.putExecutionToWait(columnOnlyDate(state.runs === 1 ? 3_600_000 : 70_000));
		return [[]];
	},

	/** Opens the context of a node that waits. */
	async open(context) {
		const { workflow, additionalData, mode, runExecutionData: data } = context;
		const { nodeExecutionStack, contextData } = data.executionData;
		const entry = nodeExecutionStack.find(({ node }) => node.name === 'Other');
		const opened = new context.constructor(
			...[workflow, entry.node, additionalData, mode, data, 0],
			...[entry.data.main[0], entry.data, entry, context.closeFunctions, context.abortSignal],
		);
		const json = {
			name: opened.getNode().name,
			use: opened.getNodeParameter('use', 0),
			isOwnContext: opened.getContext('node') === contextData['node:Other'],
			key: await opened.getCredentials('httpHeaderAuth'),
			hasSignal: opened.getExecutionCancelSignal() === context.getExecutionCancelSignal(),
		};
		return [[{ json }]];
	},

	end(context) {
		context.additionalData.hooks.addHandler('workflowExecuteAfter', async ({ status }) =>
			context.logger.info(`Members ended with ${status}`),
		);
		return [[{ json: {} }]];
	},
};

class Members {
	description = {
		displayName: 'Members',
		name: 'members',
		group: ['transform'],
		version: 1,
		description: 'Test node',
		defaults: { name: 'Members' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'httpHeaderAuth' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'members',
				restartWebhook: true,
				isFullPath: true,
				responseMode: 'onReceived',
			},
		],
		properties: [{ displayName: 'Use', name: 'use', type: 'string', default: 'describe' }],
	};

	async execute() {
		const entry = this.getExecuteData();
		const isAgain = entry.metadata?.members === true;
		return await uses[this.getNodeParameter('use', 0)](this, entry, isAgain);
	}

	async webhook() {
		const { contextData, nodeExecutionStack } = this.runExecutionData.executionData;
		const [entry] = nodeExecutionStack;
		contextData[`node:${entry.node.name}`].answer = entry.node.disabled ? 'from webhook' : '';
		delete entry.node.disabled;
		return { workflowData: entry.data.main };
	}
}

module.exports = { Members };
