// `npm run test:pairs`: what takes too long for CI.
import config from '../../../jest.config.mjs';

export default { ...config, testMatch: ['<rootDir>/test/engine/outcomes/*.campaign.mts'] };
