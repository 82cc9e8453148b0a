// Denied files against real shells, with all of the generated commands.
process.env.DENIED_COMMANDS ??= '5000';
await import('../unit/denied-files.test.mts');
