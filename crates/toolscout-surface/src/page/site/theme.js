// Applies the stored theme before the first paint. A classic script, because modules run later.

{
    const theme = localStorage.getItem("toolscout-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
