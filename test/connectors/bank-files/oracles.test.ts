import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { fixture, readItemsOf, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { toAccountId } from '../../../src/connectors/bank-files/parts.ts'
import { type Element, walkElements } from '../../../src/connectors/bank-files/syntax/elements.ts'

/** Third-party parsers of the same formats. In CI a missing one is a failure. */

const SAMPLES = fileURLToPath(new URL('../../../../shared/samples/banking/', import.meta.url))
const FIXTURES = fileURLToPath(new URL('../../../src/connectors/bank-files/fixtures/', import.meta.url))

function filesOf(folder: string, endings: RegExp): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => endings.test(name))
        .map((name) => join(folder, name))
    : []
}

function isAbsent(tool: string): boolean {
  return !process.env.CI && !['/usr/bin', '/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, tool)))
}

interface Dumped {
  accounts: string[]
  balances: string[]
  transactions: number
}

/** Output of libofx; the account id is `BANKID BRANCHID ACCTID`. */
function ofxdump(path: string): Dumped {
  const printed = execFileSync('ofxdump', [path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TZ: 'UTC' },
  })
  const statements = printed.split('ofx_proc_statement():').slice(1)
  return {
    accounts: statements.map((text) => /Account ID: (.*)/.exec(text)?.[1] ?? '').sort(),
    balances: statements.map((text) => /Ledger balance: (.*)/.exec(text)?.[1] ?? '').sort(),
    transactions: printed.split('ofx_proc_transaction():').length - 1,
  }
}

const OFX_FILES = [...filesOf(join(SAMPLES, 'ofx'), /./), join(FIXTURES, 'chequing.ofx')]

describe.skipIf(isAbsent('ofxdump'))('libofx (skipped when Debian package "ofx" is absent)', () => {
  it.each(OFX_FILES)('reads the same accounts, balances and number of transactions in %s', (path) => {
    const theirs = ofxdump(path)
    const bytes = readFileSync(path)
    const { accounts } = upload(bytes)
    const accountIds = theirs.accounts.map((id) => {
      const [bank = '', branch = '', number = ''] = / /.test(id.trim()) ? id.split(' ') : ['', '', id.trim()]
      return { bankId: [bank, branch].filter((word) => word !== '').join('-'), number }
    })
    const ours = accounts.map(({ origId }) => origId)
    // NOTE a card statement names no bank; we use the signer's id, which libofx does not print.
    expect(ours).toHaveLength(accountIds.length)
    for (const { bankId, number } of accountIds) if (bankId !== '') expect(ours).toContain(toAccountId(bankId, number))
    const unsigned = accounts.map(({ actualBalance }) => Math.abs(Number(actualBalance)).toFixed(2)).sort()
    expect(unsigned).toEqual(theirs.balances.map((text) => text.replace('-', '')).sort())
    expect(readItemsOf(bytes).filter((item) => item.entity === 'Transactions' && !('removed' in item))).toHaveLength(theirs.transactions)
  })
})

function xpath(path: string, expression: string): string {
  return execFileSync('xmllint', ['--xpath', expression, path], { encoding: 'utf8' }).trim()
}

const CAMT_FILES = [...filesOf(join(SAMPLES, 'camt053'), /^(?!.*wrong).*\.xml$/), join(FIXTURES, 'statement.camt053.xml')]

describe.skipIf(isAbsent('xmllint'))('libxml2 (skipped when Debian package "libxml2-utils" is absent)', () => {
  it.each(CAMT_FILES)('finds the same account, balance and entries in %s', (path) => {
    const { accounts, transactions } = upload(readFileSync(path))
    const closing = "//*[local-name()='Bal'][*[local-name()='Tp']//*[text()='CLBD']]"
    const amount = Number(xpath(path, `string(${closing}/*[local-name()='Amt'])`))
    const isDebit = xpath(path, `string(${closing}/*[local-name()='CdtDbtInd'])`) === 'DBIT'
    const number = xpath(path, "string(//*[local-name()='Acct']/*[local-name()='Id'])").replace(/\s/g, '')
    const booked = xpath(path, "count(//*[local-name()='Ntry'][*[local-name()='Sts'][normalize-space(.)='BOOK']])")
    expect(Number(accounts[0]?.actualBalance)).toBe(isDebit ? -amount : amount)
    expect(accounts[0]?.accountNumber).toBe(`••••${number.slice(-4)}`)
    expect(transactions).toHaveLength(Number(booked))
  })

  it('finds nothing well-formed that our parser refuses', () => {
    const folder = mkdtempSync(join(tmpdir(), 'camt-'))
    const path = join(folder, 'damaged.xml')
    const source = new TextDecoder().decode(fixture('statement.camt053.xml'))
    const damage = fc.tuple(fc.nat(source.length - 1), fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(damage, ([at, length]) => {
        const damaged = source.slice(0, at) + source.slice(at + length)
        writeFileSync(path, damaged)
        if (isWellFormed(() => execFileSync('xmllint', ['--noout', path], { stdio: 'ignore' }))) {
          const root = walkElements(damaged, { dialect: 'xml', streamed: new Set(), lineAt: () => 1 })
          expect(isWellFormed(() => [...root])).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
    rmSync(folder, { recursive: true })
  })
})

function isWellFormed(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

describe('fast-xml-parser', () => {
  const parser = new XMLParser({ preserveOrder: true, removeNSPrefix: true, parseTagValue: false, processEntities: true, trimValues: true })

  it.each(CAMT_FILES)('sees the same elements and texts in %s', (path) => {
    const text = readFileSync(path, 'utf8')
    const found = [...walkElements(text, { dialect: 'xml', streamed: new Set(['Document']), lineAt: () => 1 })]
    const theirs: unknown[] = parser.parse(text)
    expect(found.map(({ element }) => outline(element))).toEqual(theirs.flatMap(theirOutline))
  })
})

type Outline = [name: string, text: string, children: Outline[]]

function outline(element: Element): Outline {
  return [element.name, element.children.length > 0 ? '' : element.text, element.children.map(outline)]
}

function theirOutline(node: unknown): Outline[] {
  return Object.entries(node as Record<string, Record<string, unknown>[]>).flatMap(([name, children]): Outline[] => {
    if (name.startsWith('?') || name === ':@' || name === '#text') return []
    const nested = children.flatMap(theirOutline)
    return [[name, nested.length > 0 ? '' : String(children.find((child) => '#text' in child)?.['#text'] ?? ''), nested]]
  })
}
