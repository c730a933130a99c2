import { expect, it } from 'vitest'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const api = openForTests(openApiHarness)
const PATH = '/instance/owner-pages'

async function change(changed: Record<string, unknown>) {
  const { contrast: _contrast, logo: _logo, ...body } = (await api.call('GET', PATH)).json() as unknown as Record<string, unknown>
  const { statusCode } = await api.call('PUT', PATH, { body: { ...body, ...changed } })
  return { statusCode, stored: (await api.call('GET', PATH)).json() as unknown as Record<string, unknown> }
}

it.each([
  [
    'blanks around texts are left out',
    { publicName: ' Prêteur ', contact: ' owners@lender.example ' },
    { publicName: 'Prêteur', contact: 'owners@lender.example' },
  ],
  [
    'colours are written in small letters',
    { accentLight: '#0A5C36', accentDark: '#7BD8A5' },
    { accentLight: '#0a5c36', accentDark: '#7bd8a5' },
  ],
  ['no colours are the usual ones', { accentLight: null, accentDark: null }, { accentLight: null, accentDark: null }],
  ['the language is English', { defaultLanguage: 'en' }, { defaultLanguage: 'en' }],
  ['the language is French', { defaultLanguage: 'fr' }, { defaultLanguage: 'fr' }],
  ['the language is none', { defaultLanguage: null }, { defaultLanguage: null }],
])('%s', async (_what, changed, stored) => {
  expect(await change(changed)).toEqual({ statusCode: 200, stored: expect.objectContaining(stored) })
})

it.each([[0], [3_651], [1.5]])('a consent of %d days is refused, and nothing changes', async (durationDays) => {
  const before = (await api.call('GET', PATH)).json()
  const purposes = [{ key: 'lending', en: 'To lend', fr: 'Pour prêter', durationDays }]
  expect(await change({ purposes, defaultPurpose: null })).toEqual({ statusCode: 400, stored: before })
})
