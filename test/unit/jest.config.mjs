// The unit tests by jest's own command line and runner, with ts-jest: `npm run test:unit`.
import { common } from '../../jest.common.mjs';

export default { ...common, testMatch: ['<rootDir>/test/unit/**/*.test.mts'] };
