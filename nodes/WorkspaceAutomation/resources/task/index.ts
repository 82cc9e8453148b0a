import { resource } from '../resource';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const task = resource('task', [get, getAll, update], 'getAll');
