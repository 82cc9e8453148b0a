import { resource } from '../resource';
import { query } from './query';

export const analytics = resource('analytics', [query], 'query');
