// The completion scripts, which call `cdpadm __complete` and offer its output. Typed text is never evaluated.

const bash = `# Completion of cdpadm for bash. In ~/.bashrc: eval "$(cdpadm completion bash)"
_cdpadm() {
  local answer line
  COMPREPLY=()
  answer=$(command cdpadm __complete bash "$COMP_WORDBREAKS" "$1" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null) || return 0
  local kind=\${answer%%$'\\n'*}
  case $kind in
    files) compopt -o filenames -o default 2>/dev/null; return 0 ;;
    folders) compopt -o filenames -o dirnames 2>/dev/null; return 0 ;;
    *nospace) compopt -o nospace 2>/dev/null ;;
  esac
  [[ $answer == *$'\\n'* ]] || return 0
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done <<<"\${answer#*$'\\n'}"
}
complete -F _cdpadm cdpadm
`;

const zsh = `#compdef cdpadm
# Completion of cdpadm for zsh. In ~/.zshrc, after compinit: eval "$(cdpadm completion zsh)"
_cdpadm() {
  local -a answer
  answer=("\${(@f)$(command cdpadm __complete zsh "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}")
  local kind=$answer[1]
  shift answer
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    *nospace) (( $#answer )) && _describe -V cdpadm answer -S '' ;;
    *) (( $#answer )) && _describe -V cdpadm answer ;;
  esac
}
if [[ $funcstack[1] == _cdpadm ]]; then
  _cdpadm "$@"
else
  compdef _cdpadm cdpadm
fi
`;

const fish = `# Completion of cdpadm for fish. As ~/.config/fish/completions/cdpadm.fish, or: cdpadm completion fish | source
function __cdpadm_complete
    set -l answer (command cdpadm __complete fish cdpadm (commandline -cp | string collect) 2>/dev/null </dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case '*'
            if set -q answer[2]
                string join \\n -- $answer[2..-1]
            end
    end
end
complete -c cdpadm -f -a '(__cdpadm_complete)'
`;

const powershell = `# Completion of cdpadm for PowerShell. In $PROFILE: cdpadm completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName cdpadm -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    # A space before the cursor starts a new word, but the parser drops it.
    $line = if ($length -gt $line.Length) { $line + ' ' } else { $line.Substring(0, $length) }
    # Old versions of PowerShell drop double quotes from arguments.
    $answer = @(cdpadm __complete powershell cdpadm $line.Replace('"', "'") 2>$null)
    if ($answer.Count -eq 0) { return }
    if ($answer[0] -eq 'files' -or $answer[0] -eq 'folders') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        return
    }
    $answer | Select-Object -Skip 1 | ForEach-Object {
        $text, $shown, $meaning = $_ -split "\`t"
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $meaning)
    }
}
`;

/** Maps each shell to its script, which ends with a newline. */
export const SCRIPTS = { bash, zsh, fish, powershell } as const;

export const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
