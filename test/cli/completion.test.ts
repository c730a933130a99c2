import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { completionScript } from '../../src/cli/command/completion.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { folderForTests } from '../harness/for-tests.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

const CASES: [line: string, expected: string[]][] = [
  ['countinghouse compan', ['companies']],
  ['countinghouse companies ', ['add', 'list', 'show']],
  ['countinghouse export ', ['Accounting', 'Banking']],
  ['countinghouse export --format ', ['csv', 'ndjson', 'parquet']],
  ['countinghouse link --lang', ['--language']],
  ['countinghouse completion ', ['bash', 'fish', 'zsh']],
]

/** What each shell itself offers at the end of a line. */
const ASK: Record<(typeof SHELLS)[number], (script: string, line: string) => string> = {
  bash: (script, line) =>
    `. '${script}'; COMP_WORDS=(${line.endsWith(' ') ? `${line}''` : line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _countinghouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Outside its line editor zsh completes nothing: what the function passes to compadd is printed.
  zsh: (script, line) =>
    `compdef() { :; }; _files() { :; }; _describe() { print -l -- \${\${(P)2}%%:*} | grep "^$current"; }
     compadd() { shift; print -l -- "$@" | grep -- "^$current"; }
     . '${script}'; words=(${line.endsWith(' ') ? `${line}''` : line}); CURRENT=$#words; _countinghouse`,
  fish: (script, line) => `source '${script}'; complete -C'${line}' | string split -f1 \\t; true`,
}

describe.each(SHELLS)('completion for %s', (shell) => {
  const isMissing = spawnSync(shell, ['-c', 'true']).error !== undefined
  const note = isMissing ? `  SKIPPED: ${shell} is not installed` : ''
  const folder = folderForTests()
  let script: string

  beforeAll(() => {
    script = join(folder.path, 'script')
    writeFileSync(script, completionScript(shell, COMMANDS))
  })

  it.skipIf(isMissing && process.env.CI !== 'true').each(CASES)(`offers after "%s" %j${note}`, (line, expected) => {
    const flags = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[shell]
    const printed = execFileSync(shell, [...flags, '-c', ASK[shell](script, line)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder.path },
    })
    expect(printed.split('\n').filter(Boolean).sort()).toEqual(expected)
  })
})
