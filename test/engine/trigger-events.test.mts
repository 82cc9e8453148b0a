// Every event of Workspace Automation Trigger: what causes it, what does not, and what its item holds.
import { describe, expect, test } from '@jest/globals';
import { EVENTS } from '../../nodes/WorkspaceAutomationTrigger/events.ts';
import { poller } from './engine.mts';
import { byId, useTrigger } from './triggerEvents.mts';

const { service, setup, project, site, domain, files, file, product } = useTrigger();

/** One poll more than it takes until what is gone is gone */
const UNTIL_GONE = 3;

interface Course {
	/** Watched things */
	parameters?: () => object;
	/** Something that has to exist before, and its id */
	prepare?: () => Promise<string>;
	/** Causes the event, and says what the item is to contain */
	cause: (id: string) => Promise<object>;
	/** Causes what the event is not about */
	otherwise?: (id: string) => Promise<unknown>;
}

/** So far behind are the tasks of `taskRan`, so that the next run is due on any day: they run once a week at least */
const EIGHT_DAYS = 8 * 24 * 3_600_000;

const COURSES: Record<string, Course> = {
	projectAdded: {
		cause: async () => {
			const { id, name } = await service.control.projects.add({ name: 'New one' });
			return { id, name };
		},
		otherwise: async () =>
			await service.control.projects.change(service.seed.projects[1].id, { name: 'Renamed' }),
	},
	taskAdded: {
		cause: async () => {
			const { id } = await service.control.tasks.add({ title: 'New one' });
			return { id, title: 'New one' };
		},
		otherwise: async () =>
			await service.control.tasks.change(service.seed.tasks[0].id, { title: 'Renamed' }),
	},
	taskUpdated: {
		prepare: async () => (await service.control.tasks.add({ title: 'Old' })).id,
		cause: async (id) => {
			await service.control.tasks.change(id, { title: 'New' });
			return { id, title: 'New', previous: expect.objectContaining({ title: 'Old' }) };
		},
		otherwise: async () => await service.control.tasks.add({ title: 'Another' }),
	},
	taskRan: {
		prepare: async () => {
			const skew = { operationId: 'listTasks', kind: 'skew', ms: -EIGHT_DAYS, times: 0 } as const;
			await service.control.addFaults(skew);
			return (await service.control.tasks.add({})).id;
		},
		cause: async (id) => {
			const { data } = await service.call('GET', '/tasks?limit=100');
			const before = data.find((task: any) => task.id === id).nextRunAt;
			const next = Date.parse((await service.control.tasks.run(id)).nextRunAt!) - EIGHT_DAYS;
			const nextRunAt = new Date(next).toISOString();
			return { id, nextRunAt, previous: expect.objectContaining({ nextRunAt: before }) };
		},
		otherwise: async (id) =>
			await service.control.tasks.change(id, { rrule: 'FREQ=WEEKLY;BYDAY=MO' }),
	},
	taskRemoved: {
		prepare: async () => (await service.control.tasks.add({ title: 'Old' })).id,
		cause: async (id) => {
			await service.control.tasks.remove(id);
			return { id, previous: expect.objectContaining({ title: 'Old' }) };
		},
		otherwise: async () => await service.control.tasks.add({ title: 'Another' }),
	},
	fileCreated: {
		parameters: files,
		cause: async () => {
			const { id, name } = await file('new.md');
			return { id, name, kind: 'file', projectId: project() };
		},
		otherwise: async () =>
			await service.control.files.change(service.seed.files[0].id, { text: 'Changed' }),
	},
	fileUpdated: {
		parameters: files,
		prepare: async () => (await file('old.md')).id,
		cause: async (id) => {
			await service.control.files.change(id, { text: 'Much longer than before' });
			return { id, sizeBytes: 23 };
		},
		otherwise: async () => await file('another.md'),
	},
	fileRemoved: {
		parameters: files,
		prepare: async () => (await file('old.md')).id,
		cause: async (id) => {
			await service.control.files.remove(id);
			return { id, projectId: project() };
		},
		otherwise: async () => await file('another.md'),
	},
	customDomainAdded: {
		parameters: () => ({ siteId: site() }),
		cause: async () => {
			const { id } = await service.control.domains.add(domain('pending'));
			return { id, status: 'pending' };
		},
		otherwise: async () =>
			await service.control.domains.add({ ...domain(), siteId: service.seed.sites[1].id }),
	},
	customDomainChanged: {
		parameters: () => ({ siteId: site() }),
		prepare: async () => (await service.control.domains.add(domain())).id,
		cause: async (id) => {
			await service.control.domains.change(id, { stale: true });
			return { id, is_stale: true, previous: expect.objectContaining({ is_stale: false }) };
		},
		otherwise: async () => await service.control.domains.add(domain('pending')),
	},
	customDomainRemoved: {
		parameters: () => ({ siteId: site() }),
		prepare: async () => (await service.control.domains.add(domain())).id,
		cause: async (id) => {
			await service.control.domains.remove(id);
			return { id, previous: expect.objectContaining({ domain: 'active-false.example' }) };
		},
		otherwise: async () => await service.control.domains.add(domain('pending')),
	},
	productAdded: {
		parameters: () => ({ projectId: byId(project()) }),
		cause: async () => {
			const { id } = await product({ name: 'New' });
			return { id, name: 'New' };
		},
		otherwise: async () =>
			await service.control.products.change(service.seed.products[0].id, { name: 'Renamed' }),
	},
	productUpdated: {
		parameters: () => ({ projectId: byId(project()) }),
		prepare: async () => String((await product({ name: 'Old', price: 5 })).id),
		cause: async (id) => {
			await service.control.products.change(id, { price: 6 });
			return { name: 'Old', price: 6 };
		},
		otherwise: async () => await product({ name: 'Another' }),
	},
	productRemoved: {
		parameters: () => ({ projectId: byId(project()) }),
		prepare: async () => String((await product({ name: 'Old' })).id),
		cause: async (id) => {
			await service.control.products.remove(id);
			return { id };
		},
		otherwise: async () => await product({ name: 'Another' }),
	},
};

test('every event except that of rows has its case here', () => {
	expect([...Object.keys(COURSES), 'rowsFound'].sort()).toEqual(
		EVENTS.map(({ value }) => value).sort(),
	);
});

describe.each(Object.entries(COURSES))('%s', (event, course) => {
	const { parameters = () => ({}), prepare = async () => '', cause, otherwise } = course;

	test('starts the workflow once for its thing, and not for existing or other things', async () => {
		const id = await prepare();
		const trigger = poller(setup(event, parameters()));
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.poll()).toBeNull();
		await otherwise?.(id);
		expect(await trigger.poll()).toBeNull();

		const expected = await cause(id);
		// Two reads without a thing don't prove that it's gone.
		for (let reads = event.endsWith('Removed') ? 2 : 0; reads > 0; reads--)
			expect(await trigger.poll()).toBeNull();
		const found: any[] = [];
		for (let polls = 0; polls < UNTIL_GONE; polls++) found.push(...((await trigger.poll()) ?? []));
		expect(found).toEqual([
			expect.objectContaining({
				...expected,
				event,
				eventId: expect.stringMatching(new RegExp(`^${event}:.+`)),
			}),
		]);
	});

	test('finds changes during a downtime after n8n restarts', async () => {
		const id = await prepare();
		const before = poller(setup(event, parameters()));
		await before.poll();
		const expected = await cause(id);

		const after = poller(setup(event, parameters()), { state: before.state(), activation: 'init' });
		const found: any[] = [];
		for (let polls = 0; polls < UNTIL_GONE; polls++) found.push(...((await after.poll()) ?? []));
		expect(found).toEqual([expect.objectContaining(expected)]);
	});

	test("Fetch Test Event shows an existing thing, and doesn't change the state", async () => {
		await prepare();
		const trigger = poller(setup(event, parameters()));
		const [item, ...more] = (await trigger.test())!;
		expect(more).toEqual([]);
		expect(item).toMatchObject({ id: expect.anything(), event, eventId: expect.any(String) });
		expect(trigger.state()).toEqual({});
	});
});

describe("an event that's emitted again has the same eventId", () => {
	test.each(Object.entries(COURSES))('%s', async (event, course) => {
		const { parameters = () => ({}), prepare = async () => '', cause } = course;
		const id = await prepare();
		const before = poller(setup(event, parameters()));
		await before.poll();
		const saved = before.state();
		await cause(id);
		// As when n8n was killed after it had started the workflow, and before it had saved the state
		const ids: string[] = [];
		for (let time = 0; time < 2; time++) {
			const trigger = poller(setup(event, parameters()), { state: saved });
			for (let polls = 0; polls < UNTIL_GONE; polls++)
				ids.push(...((await trigger.poll()) ?? []).map(({ eventId }) => eventId));
		}
		expect(ids).toHaveLength(2);
		expect(ids[0]).toBe(ids[1]);
	});

	test('a domain that turns stale a second time has another eventId', async () => {
		const { id } = await service.control.domains.add(domain());
		const trigger = poller(setup('customDomainChanged', { siteId: site() }));
		await trigger.poll();
		const ids: string[] = [];
		for (const stale of [true, false, true]) {
			await service.control.domains.change(id, { stale });
			ids.push((await trigger.poll())![0].eventId);
		}
		expect(new Set(ids).size).toBe(3);
	});
});
