import { resource } from '../resource';
import * as abort from './abort';
import * as create from './create';
import * as get from './get';
import * as resolveInteraction from './resolveInteraction';
import * as sendMessage from './sendMessage';

export const agentSession = resource(
	'agentSession',
	[create, get, sendMessage, resolveInteraction, abort],
	'create',
);
