import { resource } from '../resource';
import * as deleteDomain from './delete';
import * as getAll from './getAll';

export const customDomain = resource('customDomain', [getAll, deleteDomain], 'getAll');
