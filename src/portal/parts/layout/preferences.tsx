import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { frameTexts } from '../../texts/pages/frame.ts'

/** Buttons that switch language and colour theme. */
export function Preferences() {
  const texts = useTexts(frameTexts)
  const { language, setLanguage } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <>
      <Button
        variant="default"
        size="xs"
        lang={language === 'fr' ? 'en' : 'fr'}
        onClick={() => setLanguage(language === 'fr' ? 'en' : 'fr')}
      >
        {texts.toFrench}
      </Button>
      <Button variant="default" size="xs" onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
        {isDark ? texts.toLight : texts.toDark}
      </Button>
    </>
  )
}
