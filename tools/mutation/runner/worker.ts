import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

/**
 * Entry of the process in which tests run. Unlike Vitest's own it serves one run after another: modules stay loaded,
 * and only test files are loaded anew.
 * Source: https://vitest.dev/api/advanced/worker
 */

type Listener = (message: unknown) => void

// Tests may replace these.
const exit = process.exit.bind(process)
const send = process.send?.bind(process)
if (!send) throw new Error('this file is started by ReusedProcess')

const listeners: Listener[] = []
process.on('message', (message) => {
  for (const listener of [...listeners]) listener(message)
})
// The runner is gone. With everything that tests have started; the process leads a group of its own.
process.on('disconnect', () => {
  process.kill(-process.pid, 'SIGKILL')
  exit(0)
})

let setup: ReturnType<typeof setupEnvironment> | undefined

init({
  post: (message) => send(message),
  on: (listener) => listeners.push(listener as Listener),
  off: (listener) => {
    const at = listeners.indexOf(listener as Listener)
    if (at !== -1) listeners.splice(at, 1)
  },
  // NOTE listeners stay: the loader of modules makes its calls as the first run, and a run waits for the answers.
  teardown: () => undefined,
  setup: async (context) => {
    setup ??= setupEnvironment(context)
    await setup
    return async () => undefined
  },
  runTests: (state, traces) => runBaseTests('run', state, traces),
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
})
