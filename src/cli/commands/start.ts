import { defineCommand } from '../command/command.ts'

export const start = defineCommand({
  name: 'start',
  summary: 'runs the service, until SIGTERM',
  description: [
    'Serves the API, the pages and the portal, and runs syncs, deliveries and mails. It migrates the database first. SIGTERM and SIGINT stop it after the work in progress, within 20 s.',
    'In the sandbox it greets with addresses, the login and commands to try. In production standard output holds JSON lines alone.',
  ],
  options: {
    role: { value: 'api|worker|all', summary: 'serves requests only, works only, or both; overrides ROLE' },
  },
  examples: [
    { line: 'countinghouse start', summary: 'the whole service in one process' },
    { line: 'countinghouse start --role worker', summary: 'syncs, deliveries and mails, on the DATABASE_URL of the API' },
  ],
  run: async (values, { env }) => {
    const { runProcess } = await import('../../process/run-process.ts')
    const role = values.text('role')
    await runProcess(env, role === null ? [] : ['--role', role])
    return null
  },
})
