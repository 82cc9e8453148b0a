import { resource } from '../resource';
import { deleteDomain } from './delete';
import { getAll } from './getAll';

export const customDomain = resource('customDomain', [getAll, deleteDomain], 'getAll');
