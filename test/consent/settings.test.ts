import { describe, expect, it } from 'vitest'
import { contrastOfAccent, nearestAccent } from '../../src/model/values/colours.ts'
import { addPurposeVersion, listPurposes } from '../../src/store/owners/owner-pages.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const PATH = '/instance/owner-pages'
const PURPOSE = { key: 'credit-line', en: 'To review your line of credit.', fr: 'Pour réviser votre marge de crédit.', durationDays: 90 }
const SETTINGS = {
  publicName: 'Érable Prêts',
  contact: 'vie-privee@erable.example',
  accentLight: '#0F6B5C',
  accentDark: '#6fd9c3',
  defaultLanguage: 'fr',
  purposes: [PURPOSE],
  defaultPurpose: 'credit-line',
  returnAddresses: ['https://app.erable.example/start'],
}
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

const api = openForTests(openApiHarness)

async function put(changes: Record<string, unknown>): Promise<{ status: number; fields: { field: string; message: string }[] }> {
  const answer = await api.call('PUT', PATH, { body: { ...SETTINGS, ...changes } })
  const { errors = [] } = answer.json() as { errors?: { field: string; message: string }[] }
  return { status: answer.statusCode, fields: errors }
}

const read = async () => (await api.call('GET', PATH)).json() as Record<string, unknown>

describe('the settings of the owner’s pages', () => {
  it('are empty until they are set', async () => {
    expect(await read()).toEqual({
      publicName: '',
      contact: '',
      accentLight: null,
      accentDark: null,
      defaultLanguage: null,
      timeZone: null,
      defaultPurpose: null,
      returnAddresses: [],
      frameOrigins: [],
      purposes: [],
      logo: null,
      contrast: { light: null, dark: null },
    })
  })

  it('are returned as set, with the contrast of the accents', async () => {
    await put({})
    const { contrast, ...rest } = await read()
    expect(rest).toEqual({
      ...SETTINGS,
      timeZone: null,
      frameOrigins: [],
      accentLight: '#0f6b5c',
      purposes: [{ ...PURPOSE, version: 1 }],
      logo: null,
    })
    expect(contrast).toEqual({ light: expect.any(Number), dark: expect.any(Number) })
  })

  it('keep the time zone of programs that do not know it', async () => {
    await put({ timeZone: 'America/Toronto' })
    await put({})
    expect(await read()).toMatchObject({ timeZone: 'America/Toronto' })
    await put({ timeZone: null })
    expect(await read()).toMatchObject({ timeZone: null })
  })

  it('keep the origins of frames for programs that do not know them', async () => {
    await put({ frameOrigins: ['https://app.erable.example', 'https://app.erable.example', 'https://xn--rable-9ra.example:8443'] })
    await put({})
    expect(await read()).toMatchObject({ frameOrigins: ['https://app.erable.example', 'https://xn--rable-9ra.example:8443'] })
    await put({ frameOrigins: [] })
    expect(await read()).toMatchObject({ frameOrigins: [] })
  })

  it('can be changed by admins only', async () => {
    for (const role of ['developer', 'integration', 'viewer'] as const) {
      expect((await api.call('PUT', PATH, { role, body: SETTINGS })).statusCode).toBe(403)
    }
  })

  it('are recorded in the audit log with what changed and from where, but refused changes are not', async () => {
    const trace = async () => {
      const { data } = (await api.call('GET', '/audit?Limit=500')).json() as unknown as { data: Record<string, unknown>[] }
      return data.filter(({ action }) => action === 'ownerPages.changed')
    }
    await put({})
    const before = await trace()
    await put({ publicName: 'Érable Crédit', accentLight: '#0a5c4e', contact: 'credit@erable.example' })
    await put({ contact: 'nobody' })
    const [entry, ...rest] = await trace()
    expect(rest).toEqual(before)
    expect(entry).toMatchObject({
      network: '127.0.0.1',
      before: { publicName: 'Érable Prêts', accentLight: '#0f6b5c' },
      after: { publicName: 'Érable Crédit', accentLight: '#0a5c4e' },
      withheld: ['contact'],
    })
    expect(JSON.stringify(entry)).not.toContain('credit@erable.example')
    await put({})
  })

  it('of another instance stay unchanged', async () => {
    await put({})
    const { token } = await api.openOtherInstance()
    const answer = await api.app.inject({ url: `/admin/api/v1${PATH}`, headers: { authorization: `Bearer ${token}` } })
    expect(answer.json()).toMatchObject({ publicName: '', purposes: [] })
  })

  it.each([
    ['contact', 'javascript:alert(1)'],
    ['contact', 'http://erable.example/contact'],
    ['contact', 'a@b.example?cc=c@d.example\n'],
    ['contact', '<a@b.example>'],
    ['accentLight', 'red'],
    ['accentLight', '#0f6b5c;}body{display:none'],
    ['publicName', 'x'.repeat(10_000)],
    ['defaultLanguage', 'de'],
    ['timeZone', 'Mars/Olympus'],
    ['timeZone', ''],
    ['defaultPurpose', 'unknown'],
    ['returnAddresses', ['javascript:alert(1)']],
    ['returnAddresses', ['http://app.erable.example/start']],
    ['returnAddresses', ['http://127.0.0.1:3000/start']],
    ['returnAddresses', ['https://user:word@app.erable.example/start']],
    ['returnAddresses', ['https://app.erable.example/a%2fb']],
    ['returnAddresses', ['https://app.erable.example/start?next=x']],
    ['purposes', [PURPOSE, PURPOSE]],
    ['purposes', [{ ...PURPOSE, key: 'With Spaces' }]],
    ['purposes', [{ ...PURPOSE, durationDays: 0 }]],
    ['purposes', [{ ...PURPOSE, en: 'x'.repeat(10_000) }]],
    ['purposes', [{ ...PURPOSE, fr: '   ' }]],
  ])('refuse %s %j, name the field and change nothing', async (field, value) => {
    await put({})
    const before = await read()
    const { status, fields } = await put({ publicName: 'Changed', [field]: value })
    expect([status, fields.map((each) => each.field.split('.')[0])]).toEqual([400, [field]])
    expect(await read()).toEqual(before)
  })

  it.each(['accentLight', 'accentDark'] as const)(
    'refuse an %s with too little contrast, and suggest a ratio and a colour that passes',
    async (field) => {
      const theme = field === 'accentLight' ? 'light' : 'dark'
      const given = theme === 'light' ? '#ffd400' : '#1a237e'
      const { status, fields } = await put({ [field]: given })
      const [, ratio = '', nearest = ''] =
        /^has a contrast of ([\d.]+):1 where 4\.5:1 is needed; the nearest that passes is (#[0-9a-f]{6})$/.exec(fields[0]?.message ?? '') ??
        []
      expect([status, fields[0]?.field, Number(ratio) < 4.5]).toEqual([400, field, true])
      expect((await put({ [field]: nearest })).status).toBe(200)
    },
  )
})

describe('an accent', () => {
  it('suggested instead of any other passes in either theme', () => {
    for (let hue = 0; hue < 0x1000000; hue += 0x0507b3) {
      const colour = `#${hue.toString(16).padStart(6, '0')}`
      for (const theme of ['light', 'dark'] as const) {
        expect(contrastOfAccent(nearestAccent(colour, theme), theme)).toBeGreaterThanOrEqual(4.5)
      }
    }
  })
})

describe('a purpose', () => {
  it('that is edited gets a new version, and the old one stays', async () => {
    await put({})
    await put({ purposes: [{ ...PURPOSE, durationDays: 30 }] })
    const { rows } = await api.syncHarness.deps.database.query(
      'select version, duration_days from purpose_versions where instance_id = $1 and key = $2 order by version',
      [api.syncHarness.instanceId, PURPOSE.key],
    )
    expect(rows).toEqual([
      { version: 1, duration_days: 90 },
      { version: 2, duration_days: 30 },
    ])
  })

  it('saved unchanged keeps its version', async () => {
    await put({ purposes: [{ ...PURPOSE, key: 'kept' }], defaultPurpose: 'kept' })
    await put({ purposes: [{ ...PURPOSE, key: 'kept' }], defaultPurpose: 'kept' })
    expect((await read()).purposes).toEqual([{ ...PURPOSE, key: 'kept', version: 1 }])
  })

  it('saved by six admins at once gets a version each', async () => {
    const texts = ['one', 'two', 'three', 'four', 'five', 'six']
    await Promise.all(texts.map((en) => put({ purposes: [{ ...PURPOSE, key: 'raced', en }], defaultPurpose: null })))
    const newest = (await listPurposes(api.syncHarness.deps.database, api.syncHarness.instanceId)).find(({ key }) => key === 'raced')
    expect(newest?.version).toBe(6)
  })

  it('has each version once', async () => {
    const twice = { ...PURPOSE, version: 1, texts: { en: 'a', 'fr-CA': 'b' } }
    await expect(addPurposeVersion(api.syncHarness.deps.database, api.syncHarness.instanceId, twice)).rejects.toThrow('duplicate key')
  })
})

describe('a logo', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['image/webp', Buffer.from('RIFF\u0004\u0000\u0000\u0000WEBPVP8 ', 'latin1')],
  ])('%s is recognized by its bytes', async (type, bytes) => {
    const answer = await api.call('PUT', `${PATH}/logo`, { body: { content: bytes.toString('base64') } })
    expect(answer.json()).toMatchObject({ logo: { type, bytes: bytes.length, address: expect.stringMatching(/^\/logos\/instances\//) } })
  })

  it.each([
    ['an SVG with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString('base64')],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>').toString('base64')],
    ['nothing', ''],
    ['what is no base64', 'not base64!'],
    ['more than 100 KB', Buffer.concat([PNG, Buffer.alloc(102_400)]).toString('base64')],
  ])('is not accepted from %s', async (_name, content) => {
    await api.call('PUT', `${PATH}/logo`, { body: { content: PNG.toString('base64') } })
    const before = await read()
    expect((await api.call('PUT', `${PATH}/logo`, { body: { content } })).statusCode).toBe(400)
    expect(await read()).toEqual(before)
  })

  it('survives a change of the other settings and is deleted when removed', async () => {
    await api.call('PUT', `${PATH}/logo`, { body: { content: PNG.toString('base64') } })
    await put({ publicName: 'Renamed' })
    expect((await read()).logo).toMatchObject({ type: 'image/png' })
    await api.call('DELETE', `${PATH}/logo`)
    expect((await read()).logo).toBeNull()
  })
})

describe('a link', () => {
  const link = async (query: string) =>
    await api.call(
      'GET',
      `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}/link${query}`,
    )
  const newest = async () => {
    const { rows } = await api.syncHarness.deps.database.query<Record<string, unknown>>(
      `select purpose_key, language, return_url, round(extract(epoch from expires_at - created_at) / 3600)::int as hours
       from links order by created_at desc limit 1`,
    )
    return rows[0]
  }

  it('without options is unchanged', async () => {
    const answer = await link('')
    expect(Object.keys(answer.json())).toEqual(['link'])
    expect(await newest()).toEqual({ purpose_key: null, language: null, return_url: null, hours: 168 })
  })

  it('stores its purpose, language, lifetime and return address, with names in any letter case', async () => {
    await put({})
    const back = 'https://app.erable.example/start/done?step=2'
    const answer = await link(`?purpose=credit-line&LANGUAGE=fr&ExpiresIn=2&returnUrl=${encodeURIComponent(back)}`)
    expect(answer.statusCode).toBe(200)
    expect(await newest()).toEqual({ purpose_key: 'credit-line', language: 'fr-CA', return_url: back, hours: 2 })
  })

  it.each([
    ['Purpose', 'unknown'],
    ['Purpose', 'x'.repeat(10_000)],
    ['Language', 'de'],
    ['ExpiresIn', '0'],
    ['ExpiresIn', '721'],
    ['ExpiresIn', 'soon'],
    ['ReturnUrl', 'https://evil.example/start'],
    ['ReturnUrl', 'https://app.erable.example/startle'],
    ['ReturnUrl', 'https://app.erable.example/start/../elsewhere'],
    ['ReturnUrl', 'https://app.erable.example/start/%2e%2e%2felsewhere'],
    ['ReturnUrl', 'https://app.erable.example@evil.example/start'],
    ['ReturnUrl', 'https://app.erable.example:8443/start'],
    ['ReturnUrl', 'http://app.erable.example/start'],
    ['ReturnUrl', 'javascript:alert(1)'],
    ['ReturnUrl', '//app.erable.example/start'],
    ['ReturnUrl', 'https://app.erable.example/start\\..\\x'],
    ['ReturnUrl', ''],
  ])('with %s %s is refused with the name of the field, and none is created', async (field, value) => {
    await put({})
    const count = async () => (await api.syncHarness.deps.database.query('select count(*) from links')).rows[0]
    const before = await count()
    const answer = await link(`?${field}=${encodeURIComponent(value)}`)
    const { errors } = answer.json() as { errors?: { field: string }[] }
    expect([answer.statusCode, errors?.map((each) => each.field)]).toEqual([400, [field]])
    expect(await count()).toEqual(before)
  })
})

it('every operation on owner’s pages has succeeded, checked against the document', () => {
  expect(api.listUnseen((path) => path.includes('/owner-pages'))).toEqual([])
})
