// Pictures of the examples on the canvas, for the gallery: each at its own size, as it is when its steps are done.
import type { Page } from './editor/browser.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { NODE_SIZE } from './notes.mts';

/** Around the outermost nodes and connections: on the right for unconnected outputs, below for names */
const AIR = { left: 40, top: 40, right: 112, below: 72 };
/** The editor's bars, and what its canvas leaves free around a workflow when it opens */
const FRAME = { width: 560, height: 480 };
const OVER_THE_CANVAS = 'body *:not(.vue-flow, .vue-flow *, :has(.vue-flow))';
/** They would be most of a picture's bytes. */
const DOTS = '.vue-flow__background';
/** The marks of nodes that nobody has set up yet: the picture shows the workflow as it is afterwards. */
const ISSUES = '[data-test-id="node-issues"]';

/** The size of a window in which the editor shows the workflow unscaled. */
export function getSize({ nodes }: WorkflowFile): { width: number; height: number } {
	const extent = (axis: 0 | 1, side: 'width' | 'height') => {
		const ends = nodes.map(
			({ position, parameters }) => position[axis] + (Number(parameters[side]) || NODE_SIZE[side]),
		);
		return (
			Math.max(...ends) - Math.min(...nodes.map(({ position }) => position[axis])) + FRAME[side]
		);
	};
	return { width: extent(0, 'width'), height: extent(1, 'height') };
}

/** Takes the picture of the workflow on the canvas, and nothing else. Returns the file. */
export async function takeExamplePicture(
	page: Page,
	workflowUrl: string,
	path: string,
): Promise<string> {
	await page.goto(workflowUrl);
	await page.locator('.vue-flow__node').first().waitFor();
	await page.addStyleTag({
		content: `${OVER_THE_CANVAS}, ${DOTS}, ${ISSUES} { visibility: hidden !important; }`,
	});
	await page.mouse.move(0, 0);
	// The canvas moves the workflow into view.
	await page.waitForTimeout(2000);
	const parts = await page.locator('.vue-flow__node, .vue-flow__edge-path').all();
	const boxes = await Promise.all(parts.map(async (part) => (await part.boundingBox())!));
	const x = Math.min(...boxes.map((box) => box.x)) - AIR.left;
	const y = Math.min(...boxes.map((box) => box.y)) - AIR.top;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + AIR.right;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + AIR.below;
	await page.screenshot({
		path,
		clip: { x, y, width: right - x, height: bottom - y },
		animations: 'disabled',
	});
	return path;
}
