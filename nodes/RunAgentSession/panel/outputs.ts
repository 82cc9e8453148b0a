import { NodeConnectionTypes } from 'n8n-workflow';

export const OUTPUTS = ['Completed', 'To Approve'].map((displayName) => ({
	type: NodeConnectionTypes.Main,
	displayName,
}));
