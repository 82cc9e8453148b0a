// The long campaigns: `npm run test:faults`.
import config from '../../jest.config.mjs';

export default { ...config, testMatch: ['<rootDir>/test/faults/*.campaign.mts'] };
