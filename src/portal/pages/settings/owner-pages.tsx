import { Button, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { OwnerPages } from '../../api/consent-types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answer.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { common } from '../../texts/common.ts'
import { useTexts } from '../../texts/language.tsx'
import { ownerPageTexts } from '../../texts/owner-pages.ts'
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
  const save = useSave()
  return (
    <PageAnswer read={pages}>
      {(known) => (
        <Page title={texts.title} lead={texts.lead}>
          <Section title={texts.logo}>
            <Logo logo={known.logo} />
          </Section>
          <Settings key={JSON.stringify(known.purposes.map(({ key, version }) => [key, version]))} known={known} save={save} />
        </Page>
      )}
    </PageAnswer>
  )
}

/** Outlives the form, which begins anew with the versions that a change made. What was saved counts as such until something is changed again. */
function useSave() {
  const [isEdited, setIsEdited] = useState(false)
  const change = useChange<Record<string, unknown>>((body) => ({ method: 'PUT', path: PATH, body }))
  return {
    error: change.error,
    isPending: change.isPending,
    isSaved: change.isSuccess && !isEdited,
    edit: () => setIsEdited(true),
    send: (body: Record<string, unknown>) => {
      setIsEdited(false)
      change.mutate(body)
    },
  }
}

function Settings({ known, save }: { known: OwnerPages; save: ReturnType<typeof useSave> }) {
  const texts = useTexts(ownerPageTexts)
  const words = useTexts(common)
  const [light, setLight] = useState(known.accentLight)
  const [dark, setDark] = useState(known.accentDark)
  const [purposes, setPurposes] = useState<PurposeDraft[]>(known.purposes.map((purpose, id) => ({ ...purpose, id })))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '').trim()
    save.send({
      publicName: text('publicName'),
      contact: text('contact'),
      defaultLanguage: text('defaultLanguage') || null,
      accentLight: light,
      accentDark: dark,
      purposes: purposes.map(({ key, en, fr, durationDays }) => ({ key: key.trim(), en, fr, durationDays: Number(durationDays) })),
      defaultPurpose: text('defaultPurpose') || null,
      returnAddresses: text('returnAddresses').split(/\s+/).filter(Boolean),
    })
  }
  /** NOTE some inputs tell of a value when they are merely left. */
  const edit =
    <Value,>(known: Value, set: (value: Value) => void) =>
    (value: Value) => {
      if (value !== known) save.edit()
      set(value)
    }
  const keys = purposes.map(({ key }) => key.trim()).filter(Boolean)
  return (
    <form onSubmit={submit} onChange={save.edit}>
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
        <Purposes drafts={purposes} onChange={edit(purposes, setPurposes)} />
        {keys.length > 0 && (
          <NativeSelect
            key={keys.join(' ')}
            name="defaultPurpose"
            label={texts.defaultPurpose}
            defaultValue={known.defaultPurpose !== null && keys.includes(known.defaultPurpose) ? known.defaultPurpose : ''}
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
          {save.isSaved ? texts.saved : ''}
        </Text>
      </Group>
    </form>
  )
}
