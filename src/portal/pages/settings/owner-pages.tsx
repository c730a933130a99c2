import { Button, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnerPages } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { queries, useChange, useRead } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answer.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { onSubmit } from '../../parts/save-form.tsx'
import { useSaved } from '../../parts/saved.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'
import { AccentInput } from './accent.tsx'
import { Logo } from './logo.tsx'
import { type PurposeDraft, Purposes } from './purposes.tsx'

const PATH = '/instance/owner-pages'
const USUAL_LIGHT = '#1d4fc4'
const USUAL_DARK = '#8fb4ff'

/** How the instance shows itself to business owners. */
export function OwnerPagesPage() {
  const texts = useTexts(ownerPageTexts)
  const pages = useRead<OwnerPages>(PATH)
  return (
    <PageAnswer read={pages}>
      {(known) => (
        <Page title={texts.title} lead={texts.lead}>
          <Section title={texts.logo}>
            <Logo logo={known.logo} />
          </Section>
          <Settings known={known} />
        </Page>
      )}
    </PageAnswer>
  )
}

interface Begun {
  with: OwnerPages
  /** The purposes as this form saved them last. */
  sent: readonly PurposeDraft[]
  round: number
}

interface Sending {
  body: Record<string, unknown>
  purposes: readonly PurposeDraft[]
}

/** The form, begun anew with what somebody else has changed only as long as nothing is typed here that would be lost. */
function Settings({ known }: { known: OwnerPages }) {
  const [begun, setBegun] = useState<Begun>({ with: known, sent: [], round: 0 })
  const following = useSaved()
  const save = useChange<Sending, OwnerPages>(
    ({ body }) => ({ method: 'PUT', path: PATH, body }),
    (answer, { purposes }) => {
      queries.setQueryData([PATH], answer)
      setBegun(({ round }) => ({ with: answer, sent: purposes, round }))
      following.end()
    },
  )
  const isFree = !following.isEdited && !save.isPending && !save.isError
  if (isFree && toFields(known) !== toFields(begun.with)) setBegun(({ round }) => ({ with: known, sent: [], round: round + 1 }))
  return <SettingsForm key={begun.round} known={begun.with} sent={begun.sent} save={save} following={following} />
}

/** What the form is about, to be compared. */
function toFields({ logo: _logo, ...fields }: OwnerPages): string {
  return JSON.stringify(fields)
}

interface SettingsFormProps {
  known: OwnerPages
  sent: readonly PurposeDraft[]
  save: UseMutationResult<OwnerPages, Problem, Sending>
  following: ReturnType<typeof useSaved>
}

function SettingsForm({ known, sent, save, following }: SettingsFormProps) {
  const texts = useTexts(ownerPageTexts)
  const words = useTexts(common)
  const [light, setLight] = useState(known.accentLight)
  const [dark, setDark] = useState(known.accentDark)
  const [drafts, setDrafts] = useState<PurposeDraft[]>(known.purposes.map((purpose, id) => ({ ...purpose, id })))
  const purposes = withVersions(drafts, sent, known.purposes)
  const [defaultPurpose, setDefaultPurpose] = useState(known.defaultPurpose ?? '')
  const keys = purposes.map(({ key }) => key.trim()).filter(Boolean)
  const send = (given: FormData) => {
    const text = (name: string) => String(given.get(name) ?? '').trim()
    const body = {
      publicName: text('publicName'),
      contact: text('contact'),
      defaultLanguage: text('defaultLanguage') || null,
      timeZone: text('timeZone') || null,
      accentLight: light,
      accentDark: dark,
      purposes: purposes.map(({ key, en, fr, durationDays }) => ({ key: key.trim(), en, fr, durationDays: Number(durationDays) })),
      defaultPurpose: text('defaultPurpose') || null,
      returnAddresses: text('returnAddresses').split(/\s+/).filter(Boolean),
    }
    following.begin()
    save.mutate({ body, purposes })
  }
  /** NOTE some inputs tell of a value when they are merely left. */
  const edit =
    <Value,>(known: Value, set: (value: Value) => void) =>
    (value: Value) => {
      if (value !== known) following.edit()
      set(value)
    }
  return (
    <form onSubmit={onSubmit(send)} onChange={following.edit}>
      <Section title={texts.who}>
        <TextInput
          name="publicName"
          label={texts.publicName}
          description={texts.publicNameHint}
          defaultValue={known.publicName}
          maxLength={100}
          mb="sm"
        />
        <TextInput
          name="contact"
          label={texts.contact}
          description={texts.contactHint}
          defaultValue={known.contact}
          maxLength={320}
          mb="sm"
        />
        <NativeSelect
          name="defaultLanguage"
          label={texts.language}
          description={texts.languageHint}
          defaultValue={known.defaultLanguage ?? ''}
          data={[
            { value: '', label: texts.languages.none },
            { value: 'en', label: texts.languages.en },
            { value: 'fr', label: texts.languages.fr },
          ]}
          mb="sm"
        />
        <NativeSelect
          name="timeZone"
          label={texts.timeZone}
          description={texts.timeZoneHint}
          defaultValue={known.timeZone ?? ''}
          data={[{ value: '', label: 'UTC' }, ...listZones(known.timeZone)]}
        />
      </Section>
      <Section title={texts.colours}>
        <Text size="sm" c="dimmed" mb="sm">
          {texts.coloursHint}
        </Text>
        <Group align="flex-start" gap="xl">
          <AccentInput
            label={texts.light}
            theme="light"
            value={light}
            usual={USUAL_LIGHT}
            contrast={light === known.accentLight ? known.contrast.light : null}
            onChange={edit(light, setLight)}
          />
          <AccentInput
            label={texts.dark}
            theme="dark"
            value={dark}
            usual={USUAL_DARK}
            contrast={dark === known.accentDark ? known.contrast.dark : null}
            onChange={edit(dark, setDark)}
          />
        </Group>
      </Section>
      <Section title={texts.purposes}>
        <Purposes drafts={purposes} onChange={edit(purposes, setDrafts)} />
        {keys.length > 0 && (
          <NativeSelect
            name="defaultPurpose"
            label={texts.defaultPurpose}
            value={keys.includes(defaultPurpose) ? defaultPurpose : ''}
            onChange={(event) => setDefaultPurpose(event.currentTarget.value)}
            data={[{ value: '', label: texts.firstPurpose }, ...keys]}
            mt="sm"
            maw={420}
          />
        )}
      </Section>
      <Section title={texts.returns}>
        <Textarea
          name="returnAddresses"
          aria-label={texts.returns}
          description={texts.returnsHint}
          defaultValue={known.returnAddresses.join('\n')}
          autosize
          minRows={2}
        />
      </Section>
      {save.error && <ProblemBox problem={save.error} />}
      <Group mt="md">
        <Button type="submit" loading={save.isPending}>
          {words.save}
        </Button>
        <Text component="output" size="sm">
          {following.saved === 'all' ? texts.saved : following.saved && words.notWhatCameSince}
        </Text>
      </Group>
    </form>
  )
}

/** Those that the browser knows, and the one that is set. */
function listZones(set: string | null): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), ...(set === null ? [] : [set])])].sort()
}

/** The versions that purposes got by being saved; one that was added since has none. */
function withVersions(drafts: readonly PurposeDraft[], sent: readonly PurposeDraft[], kept: OwnerPages['purposes']): PurposeDraft[] {
  const isSent = ({ id }: PurposeDraft) => sent.some((each) => each.id === id)
  return drafts.map((draft) => {
    const version = kept.find(({ key }) => key === draft.key.trim())?.version
    return version !== undefined && isSent(draft) ? { ...draft, version } : draft
  })
}
