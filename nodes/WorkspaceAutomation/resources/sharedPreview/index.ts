import { resource } from '../resource';
import { create } from './create';

export const sharedPreview = resource('sharedPreview', [create], 'create');
