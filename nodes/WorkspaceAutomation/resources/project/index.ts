import { resource } from '../resource';
import * as getAll from './getAll';

export const project = resource('project', [getAll], 'getAll');
