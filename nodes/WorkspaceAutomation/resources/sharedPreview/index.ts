import { resource } from '../resource';
import * as create from './create';

export const sharedPreview = resource('sharedPreview', [create], 'create');
