import { resource } from '../resource';
import { create } from './create';
import { createFolder } from './createFolder';
import { get } from './get';
import { getAll } from './getAll';
import { getContent } from './getContent';
import { move } from './move';
import { rename } from './rename';

export const file = resource(
	'file',
	[create, createFolder, get, getContent, getAll, rename, move],
	'getAll',
);
