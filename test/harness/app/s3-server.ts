import { spawn } from 'node:child_process'
import { isOnPath } from '../../packages/podman.ts'
import { until } from '../../process/deadline.ts'
import { freePort } from '../../process/free-port.ts'

/** Python of the environment in which `.ci/run` installs moto, a server of S3. */
export const S3_PROGRAM = 'export-readers-python'

/** Whether tests with a server of S3 are skipped; says so, and never with CI=true. */
export function isS3Missing(what: string): boolean {
  const isMissing = !isOnPath(S3_PROGRAM) && process.env.CI !== 'true'
  if (isMissing) process.stderr.write(`SKIPPED: ${what} a server of others: no ${S3_PROGRAM}\n`)
  return isMissing
}

export async function serveS3(): Promise<{ address: string; close(): void }> {
  const port = await freePort()
  const server = spawn(S3_PROGRAM, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const address = `http://127.0.0.1:${port}`
  await until('moto answers', () => fetch(address).catch(() => null), 60_000)
  return { address, close: () => server.kill() }
}
