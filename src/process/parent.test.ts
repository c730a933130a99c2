import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const WATCH = `
  import { watchParent } from ${JSON.stringify(join(import.meta.dirname, 'parent.ts'))}
  watchParent({ COUNTINGHOUSE_LAUNCHER: String(process.ppid) }, () => {
    process.exit(3)
  })
  process.send(process.getActiveResourcesInfo())`

it('the end of the launcher is noticed by its channel, without a timer', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WATCH], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [resources]: unknown[] = await once(child, 'message')
  expect(resources).not.toContain('Timeout')
  const ended = once(child, 'exit')
  child.disconnect()
  expect((await ended)[0]).toBe(3)
})
