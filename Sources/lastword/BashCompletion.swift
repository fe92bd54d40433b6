/// Corrects the parser's completion script for bash: bash would split an address into several words at its colons.
enum BashCompletion {
  /// The beginning of the parser's script for bash.
  private static let beginning = "#!/bin/bash\n"

  /// The text to print instead of the parser's message, if that is its script for bash; nil: it is another message.
  static func script(in message: String) -> String? {
    message.hasPrefix(beginning) ? message + "\n\n" + wholeWords : nil
  }

  /// Readline ends words at colons, and replaces only the text after one.
  private static let wholeWords = #"""
    _lastword_whole_words() {
        local -a words=()
        local -i index cursor=0
        local rest="${COMP_LINE}" cur="" kept="" word
        for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
            word="${COMP_WORDS[index]}"
            if [[ ${#words[@]} -eq 0 || "${rest}" == [[:space:]]* ]]; then
                rest="${rest#"${rest%%[![:space:]]*}"}"
                words+=("")
            fi
            rest="${rest#"${word}"}"
            if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
                cursor=$((${#words[@]} - 1))
                kept="${words[cursor]}"
                # Between two words there is nothing to begin with.
                if [[ -z "${2}" && "${word}" == [:=]* ]]; then kept+="${word}"; fi
                cur="${kept}${2}"
            fi
            words[${#words[@]} - 1]+="${word}"
        done

        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD="${cursor}"
        _lastword "${1}" "${cur}" "${COMP_WORDS[COMP_CWORD - 1]}"
        COMPREPLY=("${COMPREPLY[@]#"${kept}"}")
    }

    complete -o filenames -F _lastword_whole_words lastword
    """#
}
