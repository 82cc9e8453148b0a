import { resource } from '../resource';
import * as query from './query';

export const analytics = resource('analytics', [query], 'query');
