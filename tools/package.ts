/** `npm run package`: lays out the service for an image, or builds the Debian package. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv, env, exit, stderr, stdout } from 'node:process'
import { RELEASE } from '../src/model/release.ts'
import { buildDebianPackage } from './package/debian/build.ts'
import { layOut } from './package/lay-out.ts'

const USAGE = `usage: npm run package -- FOLDER         lays out the service in a new folder, with Node and without PostgreSQL
       npm run package -- --deb FOLDER   builds the Debian package in the folder; DEBFULLNAME and DEBEMAIL name its maintainer`

function fail(message: string): never {
  stderr.write(`${message}\n`)
  exit(2)
}

const words = argv.slice(2)
const isDebian = words[0] === '--deb'
const [name, ...rest] = isDebian ? words.slice(1) : words
if (name === undefined || rest.length > 0 || name.startsWith('-')) fail(USAGE)
const folder = resolve(name)

if (isDebian) {
  const { DEBFULLNAME: fullName, DEBEMAIL: address } = env
  if (!fullName || !address) fail('DEBFULLNAME and DEBEMAIL are not set: name and address of who builds the package')
  mkdirSync(folder, { recursive: true })
  const path = await buildDebianPackage({ to: folder, version: RELEASE, date: dateOf(RELEASE), maintainer: `${fullName} <${address}>` })
  stdout.write(`${path}\n`)
} else {
  if (existsSync(folder)) fail(`${name} exists; name a folder that does not`)
  await layOut(folder, { node: true, database: false })
  stdout.write(`the service is laid out in ${folder}\n`)
}

/** Day of a release in the CHANGELOG. */
function dateOf(release: string): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8')
  const date = new RegExp(`^## ${release.replaceAll('.', '\\.')} \\((\\d{4}-\\d\\d-\\d\\d)\\)`, 'm').exec(text)?.[1]
  if (date === undefined) fail(`CHANGELOG.md has no release ${release}`)
  return date
}
