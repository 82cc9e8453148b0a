import { resource } from '../resource';
import * as get from './get';
import * as getAll from './getAll';
import * as update from './update';

export const task = resource('task', [get, getAll, update], 'getAll');
