import { Button, Group, NumberInput, Text, Textarea, TextInput } from '@mantine/core'
import { useTexts } from '../../texts/language/language.tsx'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'

export interface PurposeDraft {
  /** Identity of a draft, as its key is being edited. */
  id: number
  key: string
  en: string
  fr: string
  durationDays: number | string
  version: number | null
}

interface PurposesProps {
  drafts: readonly PurposeDraft[]
  onChange(drafts: PurposeDraft[]): void
}

/** Purposes of data requests; a saved key cannot be changed, because links and consents refer to it. */
export function Purposes({ drafts, onChange }: PurposesProps) {
  const texts = useTexts(ownerPageTexts)
  const change = (id: number, part: Partial<PurposeDraft>) => onChange(drafts.map((each) => (each.id === id ? { ...each, ...part } : each)))
  const add = () => {
    const id = Math.max(0, ...drafts.map((each) => each.id)) + 1
    onChange([...drafts, { id, key: '', en: '', fr: '', durationDays: 365, version: null }])
  }
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        {texts.purposesHint}
      </Text>
      {drafts.length === 0 && <Text size="sm">{texts.noPurposes}</Text>}
      {drafts.map((draft) => (
        <PurposeFields
          key={draft.id}
          draft={draft}
          onChange={(part) => change(draft.id, part)}
          onRemove={() => onChange(drafts.filter(({ id }) => id !== draft.id))}
        />
      ))}
      <Button size="xs" variant="default" mt="xs" onClick={add}>
        {texts.addPurpose}
      </Button>
    </>
  )
}

interface PurposeFieldsProps {
  draft: PurposeDraft
  onChange(part: Partial<PurposeDraft>): void
  onRemove(): void
}

function PurposeFields({ draft, onChange, onRemove }: PurposeFieldsProps) {
  const texts = useTexts(ownerPageTexts)
  return (
    <fieldset className="purpose">
      <legend>{texts.purposeOf(draft.key || '…')}</legend>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label={texts.key}
          description={texts.keyHint}
          value={draft.key}
          onChange={(event) => onChange({ key: event.currentTarget.value })}
          readOnly={draft.version !== null}
          pattern="[a-z0-9][a-z0-9\-]{0,39}"
          required
        />
        <NumberInput
          label={texts.days}
          description={draft.version === null ? ' ' : texts.version(draft.version)}
          value={draft.durationDays}
          onChange={(durationDays) => onChange({ durationDays })}
          min={1}
          max={3650}
          allowDecimal={false}
          required
        />
      </Group>
      {(['en', 'fr'] as const).map((language) => (
        <Textarea
          key={language}
          label={language === 'en' ? texts.textEn : texts.textFr}
          value={draft[language]}
          onChange={(event) => onChange({ [language]: event.currentTarget.value })}
          maxLength={500}
          autosize
          minRows={2}
          required
          mt="xs"
          lang={language}
        />
      ))}
      <Button size="xs" variant="default" mt="xs" aria-label={texts.removePurposeOf(draft.key)} onClick={onRemove}>
        {texts.removePurpose}
      </Button>
    </fieldset>
  )
}
