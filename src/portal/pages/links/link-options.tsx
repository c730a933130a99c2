import { NativeSelect, TextInput } from '@mantine/core'
import type { OwnerPages } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Failure } from '../../parts/answers/answer.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { linkOptionTexts } from '../../texts/pages/owner-pages.ts'

/** Options of a link; an empty value leaves the default. */
export interface LinkChoice {
  Purpose: string
  Language: string
  ExpiresIn: string
  ReturnUrl: string
}

export const DEFAULT_OPTIONS: LinkChoice = { Purpose: '', Language: '', ExpiresIn: '168', ReturnUrl: '' }

const LIVES = [24, 72, 168, 336, 720] as const

/** Language, purpose, lifetime and return address of a link. */
export function LinkOptions({ choice, onChange }: { choice: LinkChoice; onChange(choice: LinkChoice): void }) {
  const texts = useTexts(linkOptionTexts)
  const pages = useRead<OwnerPages>('/instance/owner-pages')
  const { purposes = [], returnAddresses = [] } = pages.data ?? {}
  const set = (name: keyof LinkChoice) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...choice, [name]: event.currentTarget.value })
  return (
    <details className="link-options">
      <summary>{texts.options}</summary>
      <Failure reads={[pages]} />
      <NativeSelect
        label={texts.language}
        value={choice.Language}
        onChange={set('Language')}
        data={(['', 'en', 'fr'] as const).map((value) => ({ value, label: texts.languages[value] }))}
        mb="sm"
      />
      {purposes.length > 0 && (
        <NativeSelect
          label={texts.purpose}
          value={choice.Purpose}
          onChange={set('Purpose')}
          data={[{ value: '', label: texts.usualPurpose }, ...purposes.map(({ key }) => ({ value: key, label: key }))]}
          mb="sm"
        />
      )}
      <NativeSelect
        label={texts.expires}
        value={choice.ExpiresIn}
        onChange={set('ExpiresIn')}
        data={LIVES.map((hours) => ({ value: String(hours), label: texts.lives[hours] }))}
        mb="sm"
      />
      {returnAddresses.length > 0 && (
        <>
          <TextInput
            label={texts.back}
            description={texts.backHint}
            value={choice.ReturnUrl}
            onChange={set('ReturnUrl')}
            type="url"
            maxLength={2000}
            list="return-addresses"
            mb="sm"
          />
          <datalist id="return-addresses">
            {returnAddresses.map((address) => (
              <option key={address} value={address} />
            ))}
          </datalist>
        </>
      )}
    </details>
  )
}
