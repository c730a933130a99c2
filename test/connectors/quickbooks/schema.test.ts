import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { XMLParser } from 'fast-xml-parser'
import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderForTests, openForTests } from '../../harness/for-tests.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, BUILDER, openHarness } from './harness.ts'

const SPECS = fileURLToPath(new URL('../../../../shared/specs/accounting/', import.meta.url))
const XMLLINT = '/usr/bin/xmllint'
const hasSpecs = existsSync(SPECS)
/** In CI a missing xmllint is a failure; elsewhere the tests are skipped. */
const canRun = hasSpecs && (existsSync(XMLLINT) || process.env.CI === 'true')
const reason = hasSpecs ? 'skipped without xmllint of libxml2-utils' : 'skipped without ../shared/specs/accounting'

describe.skipIf(!canRun)(`the simulator's answers, checked against Intuit's own XML schema (${canRun ? 'xmllint' : reason})`, () => {
  const harness = openForTests(openHarness)
  const folder = folderForTests()
  const tokens = new Map<string, string>()

  beforeAll(async () => {
    // The schema files include each other under Intuit's names.
    for (const file of await readdir(SPECS)) {
      if (file.endsWith('.xsd')) await symlink(join(SPECS, file), join(folder.path, file.replace('qbo-', '')))
    }
    for (const realmId of [BAKERY, BUILDER]) {
      const { credentials } = await connect(harness, { realmId })
      tokens.set(realmId, { accessToken: '', ...Object(credentials.secret) }.accessToken)
    }
  })

  async function get(realmId: string, path: string, accept: string, token = tokens.get(realmId)): Promise<string> {
    const answer = await request(`${harness.url}/v3/company/${realmId}/${path}`, { headers: { accept, authorization: `Bearer ${token}` } })
    return await answer.body.text()
  }

  /** Output of xmllint for a document; empty if it is valid. */
  async function complaints(xml: string): Promise<string> {
    const file = join(folder.path, 'answer.xml')
    await writeFile(file, xml)
    const outcome = await promisify(execFile)(XMLLINT, ['--noout', '--schema', join(folder.path, 'IntuitRestServiceDef.xsd'), file]).then(
      () => '',
      (error: Error & { stderr?: string }) => error.stderr ?? error.message,
    )
    return outcome.slice(0, 2000)
  }

  test.each([
    ['all accounts', 'query?query=select * from Account where Active in (true, false) maxresults 1000', /<Account[ >]/],
    ['journal entries', 'query?query=select * from JournalEntry maxresults 1000', /<JournalEntryLineDetail>/],
    ['the company by query', 'query?query=select * from CompanyInfo', /<CompanyName>/],
    ['a count', 'query?query=select count(*) from Account', /totalCount="/],
    ['nothing found', "query?query=select * from Account where Id = '0'", /<QueryResponse><\/QueryResponse>/],
    ['one account', 'account/2', /<Account /],
    ['changes', 'cdc?entities=Account,JournalEntry&changedSince=2026-06-15T00:00:00Z', /<CDCResponse><QueryResponse/],
    ['an unreadable query', 'query?query=select', /<Fault type="ValidationFault"/],
    ['an unknown account', 'account/99999', /code="610"/],
  ])('%s, for both companies', async (_what, path, pattern) => {
    for (const realmId of [BAKERY, BUILDER]) {
      const xml = await get(realmId, encodeURI(path), 'application/xml')
      expect(xml).toMatch(pattern)
      expect(await complaints(xml)).toBe('')
    }
  })

  test('company info is valid', async () => {
    expect(await complaints(await get(BAKERY, `companyinfo/${BAKERY}`, 'application/xml'))).toBe('')
  })

  test('a refused token is answered in valid XML if JSON was not requested', async () => {
    const xml = await get(BAKERY, 'account/2', '', 'nonsense')
    expect(xml).toContain('errorCode=003200; statusCode=401')
    expect(await complaints(xml)).toBe('')
  })

  test('the schema is really applied to the answers: a wrong enum value is detected', async () => {
    const xml = await get(BAKERY, 'account/2', 'application/xml')
    expect(await complaints(xml.replace('<AccountType>Bank', '<AccountType>Piggy Bank'))).toContain('AccountType')
  })

  test('JSON and XML have the same accounts', async () => {
    const query = encodeURI('query?query=select * from Account maxresults 1000')
    const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false })
    const fromXml = parser.parse(await get(BAKERY, query, 'application/xml')).IntuitResponse.QueryResponse.Account
    const fromJson = JSON.parse(await get(BAKERY, query, 'application/json')).QueryResponse.Account
    const told = (account: Record<string, unknown>) => [account.Id, account.Name, account.AccountSubType, String(account.CurrentBalance)]
    expect(fromXml.map(told)).toEqual(fromJson.map(told))
  })
})
