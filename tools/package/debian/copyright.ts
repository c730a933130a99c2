import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isLicence } from '../package-files.ts'

/** Words that identify the Apache License 2.0; Debian provides its text. */
const APACHE = /Apache License\s+Version 2\.0, January 2004[\s\S]*END OF TERMS AND CONDITIONS/
const APACHE_AT = 'Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0'

/**
 * Text of `/usr/share/doc/countinghouse/copyright`: the licences and notices of the tree and of Node. Returns the files
 * of the tree that it repeats, too.
 */
export async function readCopyright(tree: string, nodeLicence: string): Promise<{ text: string; repeated: string[] }> {
  const files = readdirSync(join(tree, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter(isLicence)
    .map((name) => join(tree, 'node_modules', name))
    .sort()
  const parts = [
    part('Countinghouse', await readFile(join(tree, 'LICENSE'), 'utf8')),
    part('Node.js (/usr/lib/countinghouse/bin/node)', await readFile(nodeLicence, 'utf8')),
    ...(await Promise.all(files.map(async (file) => part(relative(tree, file), await readFile(file, 'utf8'))))),
  ]
  const head = 'Countinghouse and the packages that it contains have the following licences.\n'
  return { text: [head, ...parts].join('\n'), repeated: [join(tree, 'LICENSE'), ...files].filter((file) => existsSync(file)) }
}

function part(name: string, text: string): string {
  const line = '-'.repeat(72)
  return `${line}\n${name}\n${line}\n\n${text.replace(APACHE, APACHE_AT).trim()}\n`
}
