import { resource } from '../resource';
import { getAll } from './getAll';

export const project = resource('project', [getAll], 'getAll');
