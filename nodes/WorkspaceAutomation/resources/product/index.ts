import { resource } from '../resource';
import * as create from './create';
import * as getAll from './getAll';
import * as update from './update';

export const product = resource('product', [create, getAll, update], 'getAll');
