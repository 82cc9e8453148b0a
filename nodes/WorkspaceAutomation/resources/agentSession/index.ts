import { resource } from '../resource';
import { abort } from './abort';
import { create } from './create';
import { get } from './get';
import { resolveInteraction } from './resolveInteraction';
import { sendMessage } from './sendMessage';

export const agentSession = resource(
	'agentSession',
	[create, get, sendMessage, resolveInteraction, abort],
	'create',
);
