// A project of jest.config.mjs says on which n8n its tests run, as someone would who sets the variable.
process.env.N8N_HOST = (globalThis as unknown as { n8nHost: string }).n8nHost;
