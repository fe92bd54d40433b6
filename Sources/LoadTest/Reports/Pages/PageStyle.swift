/// The style sheet of a report page, light or dark as its reader has it.
enum PageStyle {
  static let text = """
    :root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d2327; --soft: #5d676e; --rule: #e3e6e4;
      --results: #3b7ea1; --superseded: #c3ccd1; --superseded-ink: #6d7a82; --errors: #c4462d;
      --c0: #1f6fa8; --c1: #c2641a; --c2: #2f8558; --c3: #8257b3; --c4: #a8395f; --c5: #6f7d1d; --c6: #5d676e; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14181b; --ink: #e6e9ea; --soft: #98a3aa; --rule: #2b3237;
      --results: #4f9cc4; --superseded: #47535b; --superseded-ink: #93a1aa; --errors: #f0785c;
      --c0: #6bb3e3; --c1: #eda05f; --c2: #6cc795; --c3: #b995e6; --c4: #ea86a6; --c5: #bccb5b; --c6: #98a3aa; } }
    body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.45;
      font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
    main { max-width: 1160px; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
    h1 { font-size: 1.6rem; font-weight: 650; letter-spacing: -.01em; margin: 0; }
    h2 { font-size: 1.1rem; font-weight: 650; margin: 2.25rem 0 .5rem; }
    header p { color: var(--soft); margin: 0; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; margin: 1rem 0 0; }
    .legend li::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .5em;
      border-radius: 2px; background: currentColor; vertical-align: -.05em; }
    .headline { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.5rem 0 0; }
    .headline dt { color: var(--soft); font-size: .85rem; }
    .headline dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .note { border-left: 3px solid var(--errors); padding: .1rem 0 .1rem .8rem; margin: 1rem 0 0; max-width: 46rem; }
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 2rem;
      margin-top: 2rem; }
    figure { margin: 0; min-width: 0; }
    figcaption { font-size: .85rem; color: var(--soft); margin-bottom: .4rem; }
    figcaption b { color: var(--ink); font-size: 1rem; font-weight: 650; display: block; }
    svg { display: block; width: 100%; height: auto; overflow: visible; }
    svg text { font-size: 12.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
    .end { text-anchor: end; } .middle { text-anchor: middle; }
    .rule { stroke: var(--rule); stroke-width: 1; fill: none; }
    .curve { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
    .curve.bold { stroke-width: 2.2; } .curve.thin { stroke-width: 1.1; } .curve.dash { stroke-dasharray: 5 4; }
    .curve.dots { stroke-dasharray: 1.5 3.5; stroke-linecap: round; }
    svg text.label { fill: currentColor; font-weight: 550; }
    .area { stroke: none; fill: currentColor; }
    .results { color: var(--results); } .superseded { color: var(--superseded); } .errors { color: var(--errors); }
    text.superseded { color: var(--superseded-ink); } .faint { color: var(--soft); }
    .c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
    .c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); }
    .beside { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.5rem 4rem; }
    .scroll { overflow-x: auto; max-width: 100%; }
    table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .28rem 0 .28rem 2rem; text-align: right; border-bottom: 1px solid var(--rule);
      white-space: nowrap; }
    thead td, tbody th { text-align: left; padding-left: 0; font-weight: 400; color: var(--soft); }
    thead th { font-weight: 650; }
    pre { overflow-x: auto; font-size: .85rem; color: var(--soft); margin: .3rem 0 .9rem; }
    li { overflow-wrap: anywhere; }
    @media (max-width: 640px) { main { padding: 1.25rem 1rem 2rem; } svg text { font-size: 17px; }
      th, td { padding-left: 1.1rem; } }
    @media print { .plots { gap: 1rem; } figure, tr { break-inside: avoid; } }
    """
}
