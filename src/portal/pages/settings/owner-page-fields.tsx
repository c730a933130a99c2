import { Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OwnerPages } from '../../api/generated/types.ts'
import { Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'
import { AccentInput } from './accent.tsx'

const DEFAULT_LIGHT = '#1d4fc4'
const DEFAULT_DARK = '#8fb4ff'
const MAX_LENGTHS = { publicName: 100, contact: 320 } as const

/** Who asks for the data, and the language and time zone in which owners read. */
export function Requester({ known }: { known: OwnerPages }) {
  const texts = useTexts(ownerPageTexts)
  return (
    <Section title={texts.who}>
      {(['publicName', 'contact'] as const).map((name) => (
        <TextInput
          key={name}
          name={name}
          label={texts[name]}
          description={texts[`${name}Hint` as const]}
          defaultValue={known[name]}
          maxLength={MAX_LENGTHS[name]}
          mb="sm"
        />
      ))}
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
  )
}

interface AccentsProps {
  known: OwnerPages
  light: OwnerPages['accentLight']
  dark: OwnerPages['accentDark']
  onLight(colour: OwnerPages['accentLight']): void
  onDark(colour: OwnerPages['accentDark']): void
}

/** Accent colours of both themes; the contrast is known for a saved colour only. */
export function Accents({ known, light, dark, onLight, onDark }: AccentsProps) {
  const texts = useTexts(ownerPageTexts)
  return (
    <Section title={texts.colours}>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.coloursHint}
      </Text>
      <Group align="flex-start" gap="xl">
        <AccentInput
          label={texts.light}
          theme="light"
          value={light}
          usual={DEFAULT_LIGHT}
          contrast={light === known.accentLight ? known.contrast.light : null}
          onChange={onLight}
        />
        <AccentInput
          label={texts.dark}
          theme="dark"
          value={dark}
          usual={DEFAULT_DARK}
          contrast={dark === known.accentDark ? known.contrast.dark : null}
          onChange={onDark}
        />
      </Group>
    </Section>
  )
}

/** Purpose of links that name none; absent while there are no purposes. */
export function DefaultPurpose({ known, keys }: { known: string; keys: readonly string[] }) {
  const texts = useTexts(ownerPageTexts)
  const [chosen, setChosen] = useState(known)
  if (keys.length === 0) return null
  return (
    <NativeSelect
      name="defaultPurpose"
      label={texts.defaultPurpose}
      value={keys.includes(chosen) ? chosen : ''}
      onChange={(event) => setChosen(event.currentTarget.value)}
      data={[{ value: '', label: texts.firstPurpose }, ...keys]}
      mt="sm"
      maw={420}
    />
  )
}

/** Time zones of the browser, and the one that is set. */
function listZones(set: string | null): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), ...(set === null ? [] : [set])])].sort()
}
