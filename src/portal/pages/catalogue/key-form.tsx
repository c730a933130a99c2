import { Alert, Button, Checkbox, PasswordInput, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SavedKeys, Source, SourceKey } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useSaveState } from '../../parts/forms/save-state.ts'
import { useFormats, useLanguage, useTexts } from '../../texts/language/language.tsx'
import { keyAnswerInFrench } from '../../texts/messages/key-answers.ts'
import { common } from '../../texts/pages/common.ts'
import { sourceTexts } from '../../texts/pages/sources.ts'

/** Prefix of the names of checkboxes that remove a key; no key begins so. */
const REMOVED = 'remove: '

/** Form for the keys of an own app. Keys are never shown; an empty field keeps its key. */
export function KeyForm({ source }: { source: Source }) {
  const texts = useTexts(sourceTexts)
  const [answer, setAnswer] = useState<SavedKeys | null>(null)
  const { saved, begin, edit, end } = useSaveState()
  const save = useChange<Record<string, string>, SavedKeys>(
    (keys) => ({ method: 'PUT', path: `/sources/${source.key}/keys`, body: { keys } }),
    (given) => {
      setAnswer(given)
      end()
    },
  )
  const send = (values: FormData, form: HTMLFormElement) => {
    const given = [...values].map(([name, value]) => [name, String(value)] as const)
    const typed = given.filter(([name, value]) => !name.startsWith(REMOVED) && value.trim() !== '')
    const taken = given.filter(([name]) => name.startsWith(REMOVED)).map(([name]) => [name.slice(REMOVED.length), ''] as const)
    begin(form)
    if (typed.length + taken.length > 0) save.mutate(Object.fromEntries([...taken, ...typed]))
  }
  return (
    <form onSubmit={onSubmit(send)} onChange={edit} autoComplete="off" className="key-form">
      {source.keys.map((key) => (
        <Field key={key.name} sourceKey={key} />
      ))}
      {save.error && (save.error.status === 422 ? <Refused reason={save.error.message} /> : <ProblemBox problem={save.error} />)}
      {saved && answer && <SavedNotice answer={answer} isWhole={saved === 'all'} />}
      <Button type="submit" loading={save.isPending}>
        {texts.save}
      </Button>
    </form>
  )
}

function Field({ sourceKey }: { sourceKey: SourceKey }) {
  const { name, isRequired, isSecret, isLong, hint, setOn, setBy, example } = sourceKey
  const texts = useTexts(sourceTexts)
  const formats = useFormats()
  const say = useLocalized()
  const label = say(sourceKey.label)
  const since = setOn === null ? '' : texts.setOn(formats.age(setOn), setBy ?? texts.formerMember)
  const shared = {
    name,
    label: isRequired ? label : texts.optional(label),
    description:
      [hint ? say(hint) : '', since, example === null ? '' : `${texts.example(example)}.`].filter(Boolean).join(' ') || undefined,
    required: isRequired && setOn === null,
    maxLength: 20_000,
    spellCheck: false,
    mb: 'sm' as const,
  }
  return (
    <>
      {isLong ? (
        <Textarea {...shared} autoComplete="off" autosize minRows={2} maxRows={8} />
      ) : isSecret ? (
        <PasswordInput {...shared} autoComplete="off" />
      ) : (
        <TextInput {...shared} autoComplete="off" />
      )}
      {!isRequired && setOn !== null && <Checkbox name={`${REMOVED}${name}`} label={texts.take(label)} mb="md" />}
    </>
  )
}

function useLocalized(): (text: SourceKey['label']) => string {
  const { language } = useLanguage()
  return (text) => text[language === 'fr' ? 'fr-CA' : 'en']
}

function Refused({ reason }: { reason: string }) {
  const texts = useTexts(sourceTexts)
  return (
    <Alert color="red" variant="outline" title={texts.refused} role="alert" className="problem" mb="sm">
      <Text size="sm">
        <ApiText text={reason.replace(/^The source refuses these keys, so nothing was changed\. /, '')} french={keyAnswerInFrench} />
      </Text>
    </Alert>
  )
}

function SavedNotice({ answer, isWhole }: { answer: SavedKeys; isWhole: boolean }) {
  const words = useTexts(common)
  const texts = useTexts(sourceTexts)
  return (
    <Alert color="teal" variant="outline" title={texts.saved[answer.result]} role="status" className="saved-notice" mb="sm">
      {answer.reason !== '' && (
        <Text size="sm">
          <ApiText text={answer.reason} french={keyAnswerInFrench} />
        </Text>
      )}
      {answer.connectionsOfOtherApps > 0 && <Text size="sm">{texts.savedOthers(answer.connectionsOfOtherApps)}</Text>}
      {!isWhole && <Text size="sm">{words.notWhatCameSince}</Text>}
    </Alert>
  )
}
