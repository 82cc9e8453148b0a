const { dest, parallel, src } = require('gulp');

// tsc writes the code; what n8n reads beside it is copied: icons and codex files.
const copy = (pattern, options) => () => src(pattern, { base: '.', ...options }).pipe(dest('dist'));

const icons = copy(['nodes/**/*.svg', 'credentials/**/*.svg'], { encoding: false });
const codex = copy('nodes/**/*.node.json');

exports.default = parallel(icons, codex);
