import { resource } from '../resource';
import { create } from './create';
import { getAll } from './getAll';
import { update } from './update';

export const product = resource('product', [create, getAll, update], 'getAll');
