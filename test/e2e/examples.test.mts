// Every example is published in the real n8n.
import { beforeAll, expect, test } from '@jest/globals';
import { examples } from '../../tools/examples.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { FASTER } from './pausing.mts';

const { stage } = useChannels({ clock: { faster: FASTER, origin: Date.now() } });

beforeAll(async () => await importAllCredentials(stage.host));

test.each(examples())('%s.json is published', async (name) => {
	const { host } = stage;
	const file = fillExample(name);
	const id = await host.importWorkflow(file);
	// n8n publishes nothing that starts by hand only.
	const isByHand = file.nodes.every(
		({ type }) => !/trigger$/i.test(type) || /manual|executeWorkflow|error/i.test(type),
	);
	if (!isByHand) await host.activate(id);
	const saved = await host.rest.get(`/workflows/${id}`);
	expect(saved.nodes).toHaveLength(file.nodes.length);
	if (!isByHand) await host.deactivate(id);
});
