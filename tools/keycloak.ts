import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/*
 * npm run keycloak: signs in with a real Keycloak. Its distribution (150 MB) is fetched once with Maven and kept in the
 * folder of the tools. Needs Debian's maven, unzip, and Java 17 or later.
 */
const VERSION = '26.4.0'
const root = resolve(import.meta.dirname, '..')
const tools = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'countinghouse-tools')
const home = join(tools, `keycloak-${VERSION}`)

function run(command: string, args: string[], environment: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } })
  if (error) throw new Error(`${command} cannot be run: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(join(home, 'bin/kc.sh'))) {
  mkdirSync(tools, { recursive: true })
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`
  run('mvn', [
    '-q',
    '-B',
    'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy',
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${tools}`,
  ])
  run('unzip', ['-q', '-o', join(tools, `keycloak-quarkus-dist-${VERSION}.zip`), '-d', tools])
}
run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/identity-provider/keycloak.test.ts'], {
  KEYCLOAK_HOME: home,
})
