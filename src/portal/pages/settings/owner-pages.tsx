import { Textarea } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnerPages } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { queries, useChange, useRead } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answers/answer.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { SaveRow } from '../../parts/forms/save-row.tsx'
import { useSaveState } from '../../parts/forms/save-state.ts'
import { Page, Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'
import { Logo } from './logo.tsx'
import { Accents, DefaultPurpose, Requester } from './owner-page-fields.tsx'
import { type PurposeDraft, Purposes } from './purposes.tsx'

const PATH = '/instance/owner-pages'

/** Branding and purposes of the pages that business owners see. */
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

interface FormState {
  saved: OwnerPages
  /** Purposes as last saved by this form. */
  sent: readonly PurposeDraft[]
  round: number
}

interface Sending {
  body: Record<string, unknown>
  purposes: readonly PurposeDraft[]
}

/** Form that is reset to changes by others only while it has no unsaved edits. */
function Settings({ known }: { known: OwnerPages }) {
  const [form, setForm] = useState<FormState>({ saved: known, sent: [], round: 0 })
  const saveState = useSaveState()
  const save = useChange<Sending, OwnerPages>(
    ({ body }) => ({ method: 'PUT', path: PATH, body }),
    (answer, { purposes }) => {
      queries.setQueryData([PATH], answer)
      setForm(({ round }) => ({ saved: answer, sent: purposes, round }))
      saveState.end()
    },
  )
  const isFree = !saveState.isEdited && !save.isPending && !save.isError
  if (isFree && toFields(known) !== toFields(form.saved)) setForm(({ round }) => ({ saved: known, sent: [], round: round + 1 }))
  return <SettingsForm key={form.round} known={form.saved} sent={form.sent} save={save} saveState={saveState} />
}

/** Comparable text of the form's fields. */
function toFields({ logo: _logo, ...fields }: OwnerPages): string {
  return JSON.stringify(fields)
}

interface SettingsFormProps {
  known: OwnerPages
  sent: readonly PurposeDraft[]
  save: UseMutationResult<OwnerPages, Problem, Sending>
  saveState: ReturnType<typeof useSaveState>
}

function SettingsForm({ known, sent, save, saveState }: SettingsFormProps) {
  const texts = useTexts(ownerPageTexts)
  const [light, setLight] = useState(known.accentLight)
  const [dark, setDark] = useState(known.accentDark)
  const [drafts, setDrafts] = useState<PurposeDraft[]>(known.purposes.map((purpose, id) => ({ ...purpose, id })))
  const purposes = withVersions(drafts, sent, known.purposes)
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
      frameOrigins: text('frameOrigins').split(/\s+/).filter(Boolean),
    }
    saveState.begin()
    save.mutate({ body, purposes })
  }
  /** NOTE some inputs report a change on blur. */
  const edit =
    <Value,>(known: Value, set: (value: Value) => void) =>
    (value: Value) => {
      if (value !== known) saveState.edit()
      set(value)
    }
  return (
    <form onSubmit={onSubmit(send)} onChange={saveState.edit}>
      <Requester known={known} />
      <Accents known={known} light={light} dark={dark} onLight={edit(light, setLight)} onDark={edit(dark, setDark)} />
      <Section title={texts.purposes}>
        <Purposes drafts={purposes} onChange={edit(purposes, setDrafts)} />
        <DefaultPurpose known={known.defaultPurpose ?? ''} keys={purposes.map(({ key }) => key.trim()).filter(Boolean)} />
      </Section>
      <Lines name="returnAddresses" title={texts.returns} hint={texts.returnsHint} known={known.returnAddresses} />
      <Lines name="frameOrigins" title={texts.frames} hint={texts.framesHint} known={known.frameOrigins} />
      <SaveRow change={save} saved={saveState.saved} done={texts.saved} />
    </form>
  )
}

/** Texts, one a line. */
function Lines({ name, title, hint, known }: { name: string; title: string; hint: string; known: readonly string[] }) {
  return (
    <Section title={title}>
      <Textarea name={name} aria-label={title} description={hint} defaultValue={known.join('\n')} autosize minRows={2} />
    </Section>
  )
}

/** Adds the versions that saved purposes got; a purpose added since has none. */
function withVersions(drafts: readonly PurposeDraft[], sent: readonly PurposeDraft[], kept: OwnerPages['purposes']): PurposeDraft[] {
  const isSent = ({ id }: PurposeDraft) => sent.some((each) => each.id === id)
  return drafts.map((draft) => {
    const version = kept.find(({ key }) => key === draft.key.trim())?.version
    return version !== undefined && isSent(draft) ? { ...draft, version } : draft
  })
}
