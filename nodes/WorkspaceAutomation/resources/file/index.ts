import { resource } from '../resource';
import * as create from './create';
import * as createFolder from './createFolder';
import * as get from './get';
import * as getAll from './getAll';
import * as getContent from './getContent';
import * as move from './move';
import * as rename from './rename';

export const file = resource(
	'file',
	[create, createFolder, get, getContent, getAll, rename, move],
	'getAll',
);
